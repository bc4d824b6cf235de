/* Answers of search services as their public documentation and their servers give them, shortened. */

export const searxngReply = {
  query: 'kea parrot',
  number_of_results: 0,
  results: [
    {
      url: 'https://en.wikipedia.org/wiki/Kea?utm_source=searx#Description',
      title: 'Kea - Wikipedia',
      content:
        'The <b>kea</b> is a species of large parrot in the family Strigopidae &amp; endemic to New Zealand.',
      publishedDate: null,
      thumbnail: null,
      engine: 'duckduckgo',
      parsed_url: ['https', 'en.wikipedia.org', '/wiki/Kea', '', '', ''],
      template: 'default.html',
      engines: ['duckduckgo', 'brave'],
      positions: [1, 2],
      score: 3,
      category: 'general',
    },
    {
      url: 'https://www.doc.govt.nz/kea',
      title: 'Kea: New Zealand native birds',
      content: 'Discover the kea, the world’s only alpine parrot.',
      publishedDate: '2024-05-17T00:00:00',
      engine: 'bing',
      template: 'default.html',
      engines: ['bing'],
      positions: [2],
      score: 1.5,
      category: 'general',
    },
    { url: 'javascript:alert(1)', title: 'bad', content: 'bad', engine: 'bing', category: 'general' },
  ],
  answers: [],
  corrections: [],
  infoboxes: [],
  suggestions: ['kea bird'],
  unresponsive_engines: [['google', 'Suspended: too many requests']],
};

export const searxngImages = {
  query: 'kea',
  results: [
    {
      url: 'https://commons.wikimedia.org/wiki/File:Kea.jpg',
      title: 'Kea in flight',
      img_src: 'https://upload.wikimedia.org/kea.jpg',
      thumbnail_src: 'https://upload.wikimedia.org/thumb/kea.jpg',
      resolution: '1280 x 720',
      category: 'images',
    },
    {
      url: 'https://example.org/without-size',
      title: 'No size',
      img_src: 'https://example.org/a.png',
      category: 'images',
    },
  ],
};

export const searxngVideos = {
  query: 'kea',
  results: [
    {
      url: 'https://www.youtube.com/watch?v=abc',
      title: 'Kea solves puzzles',
      thumbnail: 'https://i.ytimg.com/vi/abc/hqdefault.jpg',
      length: '3:05',
      category: 'videos',
    },
  ],
};

export const braveReply = {
  type: 'search',
  query: { original: 'kea parrot', more_results_available: true },
  web: {
    type: 'search',
    results: [
      {
        title: 'Kea | bird | Britannica',
        url: 'https://www.britannica.com/animal/kea-bird',
        description:
          'kea, (Nestor notabilis), large, stocky <strong>parrot</strong> species of New Zealand&#x27;s alps.',
        page_age: '2023-11-03T09:21:00',
        age: 'November 3, 2023',
        language: 'en',
        family_friendly: true,
        extra_snippets: ['It is known for its curiosity.'],
      },
      {
        title: 'Kea - Wikipedia',
        url: 'http://en.wikipedia.org/wiki/Kea/',
        description: 'The kea is a large parrot.',
        age: '2 days ago',
        language: 'en',
      },
    ],
  },
};

export const braveImages = {
  type: 'images',
  results: [
    {
      type: 'image_result',
      title: 'Kea',
      url: 'https://birds.example.org/kea',
      source: 'birds.example.org',
      thumbnail: { src: 'https://imgs.search.brave.com/kea' },
      properties: { url: 'https://birds.example.org/kea.png', width: 800, height: 600 },
    },
  ],
};

export const braveVideos = {
  type: 'videos',
  results: [
    {
      type: 'video_result',
      url: 'https://vimeo.com/1',
      title: 'Kea',
      video: { duration: '01:02:03', views: 10 },
      thumbnail: { src: 'https://imgs.search.brave.com/v', original: 'https://i.vimeocdn.com/1.jpg' },
    },
  ],
};

export const tavilyReply = {
  query: 'kea parrot',
  follow_up_questions: null,
  answer: null,
  images: [],
  results: [
    {
      title: 'Keas steal windscreen wipers',
      url: 'https://news.example.com/keas',
      content: 'Tourists were surprised when keas took their car apart.',
      score: 0.91,
      raw_content: null,
      published_date: 'Thu, 12 Sep 2024 08:15:00 GMT',
    },
    {
      title: 'Kea facts',
      url: 'https://zoo.example.com/kea',
      content: 'A kea weighs about a kilo.',
      score: 0.8,
    },
  ],
  response_time: 1.02,
};

export const exaReply = {
  requestId: 'b5947044c4b78efa9552a7c89b306d95',
  resolvedSearchType: 'neural',
  results: [
    {
      id: 'https://www.keaconservation.co.nz/kea/',
      title: 'Kea Conservation Trust',
      url: 'https://www.keaconservation.co.nz/kea/',
      publishedDate: '2021-03-05T00:00:00.000Z',
      author: null,
      text: 'The kea is an endangered species with 3,000 to 7,000 birds left.',
    },
  ],
  costDollars: { total: 0.005 },
};

export const serperReply = {
  searchParameters: { q: 'kea parrot', type: 'search', engine: 'google' },
  organic: [
    {
      title: 'Kea: the clown of the mountains',
      link: 'https://www.nzbirdsonline.org.nz/species/kea',
      snippet: 'The kea is the only truly alpine parrot in the world.',
      date: 'Jan 3, 2022',
      position: 1,
    },
    {
      title: 'Kea news',
      link: 'https://news.example.com/keas',
      snippet: 'Wipers.',
      date: '3 days ago',
      position: 2,
    },
  ],
  credits: 1,
};

export const serperImages = {
  images: [
    {
      title: 'Kea',
      imageUrl: 'https://images.example.com/kea.jpg',
      imageWidth: 1024,
      imageHeight: 768,
      thumbnailUrl: 'https://encrypted-tbn0.gstatic.com/images?q=1',
      link: 'https://images.example.com/kea',
      position: 1,
    },
  ],
};

export const serperVideos = {
  videos: [
    {
      title: 'Kea',
      link: 'https://www.youtube.com/watch?v=xyz',
      snippet: 'A kea.',
      imageUrl: 'https://i.ytimg.com/vi/xyz/default.jpg',
      duration: '10:02',
      position: 1,
    },
  ],
};
