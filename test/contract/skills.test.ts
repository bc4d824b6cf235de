import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, suite, test } from 'node:test';

import { roundsOf } from '../support/rounds.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { skillText, skillZip } from '../support/zip.ts';

const updates = roundsOf(10, 40);
const unlimited = { NESTOR_RATE_LIMITS_ENABLED: 'false' };
const server = await startServer({ after }, { env: { ...unlimited, NESTOR_SKILLS_MAX_PER_ACCOUNT: '1000' } });

interface SkillBody {
  readonly skill_id: string;
  readonly name: string;
  readonly revision: string;
  readonly latest_revision: string;
}

function form(content: Uint8Array = skillZip(), name = 'file'): FormData {
  const body = new FormData();
  body.append(name, new Blob([Uint8Array.from(content)]), 'bundle.zip');
  return body;
}

const call = (method: string, path: string, body?: FormData, at: TestServer = server) =>
  fetch(at.url + path, {
    method,
    headers: { authorization: `Bearer ${at.key}` },
    ...(body === undefined ? {} : { body }),
  });

async function json<Body>(response: Response, status: number): Promise<Body> {
  const text = await response.text();
  assert.equal(response.status, status, text);
  return JSON.parse(text) as Body;
}

async function create(content?: Uint8Array, at?: TestServer): Promise<SkillBody> {
  return json<SkillBody>(await call('POST', '/v1/skills', form(content), at), 201);
}

interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly code: number;
    readonly param: string | null;
  };
}
async function refused(
  response: Promise<Response>,
  status: number,
  code = status,
): Promise<ErrorBody['error']> {
  const reply = await response;
  const { error } = await json<ErrorBody>(reply, status);
  assert.equal(error.code, code);
  assert.deepEqual(Object.keys(error), ['message', 'type', 'code', 'param']);
  return error;
}

suite('skills', () => {
  test('trap 67: create 201, delete 204, wrong revision 409, missing one 400, no token at the end', async () => {
    const skill = await create();
    assert.match(skill.skill_id, /^skill_[0-9A-Za-z]{24}$/);
    assert.match(skill.revision, /^rev_[0-9A-Za-z]{24}$/);
    assert.deepEqual(Object.keys(skill), [
      'skill_id',
      'name',
      'description',
      'revision',
      'latest_revision',
      'created_at',
      'updated_at',
    ]);
    const path = `/v1/skills/${skill.skill_id}`;
    assert.deepEqual(await json<SkillBody>(await call('GET', path), 200), skill);
    const conflict = await call('PUT', `${path}?expected_revision=rev_other`, form());
    assert.equal(conflict.headers.get('x-should-retry'), 'false');
    assert.deepEqual((await json<ErrorBody>(conflict, 409)).error, {
      message: 'expected_revision does not match the latest revision',
      type: 'conflict',
      code: 409,
      param: 'expected_revision',
    });
    for (const query of ['', '?expected_revision=', '?expected=x']) {
      assert.equal((await refused(call('PUT', path + query, form()), 400)).param, 'expected_revision');
      await refused(call('DELETE', path + query), 400);
    }
    const changed = await json<SkillBody>(
      await call('PUT', `${path}?expected_revision=${skill.revision}`, form()),
      200,
    );
    assert.notEqual(changed.revision, skill.revision, 'an identical bundle still makes a revision');
    const old = await json<SkillBody>(await call('GET', `${path}?revision=${skill.revision}`), 200);
    assert.deepEqual([old.revision, old.latest_revision], [skill.revision, changed.revision]);
    await refused(call('GET', `${path}?revision=rev_none`), 404);
    const revisions = await json<Record<string, unknown>>(await call('GET', `${path}/revisions`), 200);
    assert.deepEqual(Object.keys(revisions), ['revisions']);
    const gone = await call('DELETE', `${path}?expected_revision=${changed.revision}`);
    assert.deepEqual([gone.status, await gone.text()], [204, '']);
    for (const suffix of ['', '/revisions', '/download']) await refused(call('GET', path + suffix), 404);
    await refused(call('DELETE', `${path}?expected_revision=${changed.revision}`), 404);
    await refused(call('PUT', `${path}?expected_revision=${changed.revision}`, form()), 404);
  });

  test('trap 68: a bad bundle is 400, one above 8 MiB is 413', async () => {
    const bad = await refused(call('POST', '/v1/skills', form(skillZip([{ path: '../x' }]))), 400);
    assert.match(bad.message, /"\.\.\/x" is refused/);
    const link = skillZip([{ path: 'l', content: '/', mode: 0o120_777 }]);
    await refused(call('POST', '/v1/skills', form(link)), 400);
    const at = (bytes: number) => Buffer.concat([skillZip(), Buffer.alloc(bytes)]).subarray(0, bytes);
    const large = await refused(call('POST', '/v1/skills', form(at(8_388_609))), 413);
    assert.match(large.message, /8388608/);
    assert.equal((await call('POST', '/v1/skills', form(at(8_388_608)))).status, 400, 'read, and no zip');
  });

  test('multipart has exactly one file part; other parts are ignored', async () => {
    await refused(call('POST', '/v1/skills', form(skillZip(), 'bundle')), 400);
    const twice = form();
    twice.append('file', new Blob([Uint8Array.from(skillZip())]), 'b.zip');
    await refused(call('POST', '/v1/skills', twice), 400);
    await refused(server.post('/v1/skills', {}), 400);
    const more = form();
    more.append('note', 'hello');
    await json(await call('POST', '/v1/skills', more), 201);
  });

  test(`of two updates with one revision exactly one is done, ${updates} times`, async () => {
    let { skill_id: id, revision } = await create();
    for (let round = 0; round < updates; round++) {
      const update = () => call('PUT', `/v1/skills/${id}?expected_revision=${revision}`, form());
      const replies = await Promise.all([update(), update()]);
      const statuses = replies.map(({ status }) => status).toSorted((a, b) => a - b);
      assert.deepEqual(statuses, [200, 409]);
      for (const reply of replies) {
        const body = (await reply.json()) as SkillBody;
        if (reply.status === 200) revision = body.revision;
      }
    }
  });

  test('pages follow each other without repeats, and tokens fit their list only', async (t) => {
    const own = await startServer(t, { env: unlimited });
    const made: string[] = [];
    for (let index = 0; index < 5; index++) made.unshift((await create(undefined, own)).skill_id);
    const seen: string[] = [];
    let token = '';
    do {
      const page = await json<{ readonly skills: readonly SkillBody[]; readonly next_page_token?: string }>(
        await call('GET', `/v1/skills?limit=2${token}`, undefined, own),
        200,
      );
      seen.push(...page.skills.map(({ skill_id }) => skill_id));
      token = page.next_page_token === undefined ? '' : `&page_token=${page.next_page_token}`;
      if (token !== '') {
        await refused(call('GET', `/v1/skills/${made[0]}/revisions?limit=2${token}`, undefined, own), 400);
        await refused(call('GET', `/v1/skills?${token.slice(1)}x`, undefined, own), 400);
      }
    } while (token !== '');
    assert.deepEqual(seen, made);
    for (const query of ['limit=0', 'limit=201', 'limit=x', 'limit=1.5', 'page_token=', 'page_token=1.x'])
      await refused(call('GET', `/v1/skills?${query}`, undefined, own), 400);
  });

  test('a link opens the bundle as it came, without credentials, until it is altered', async () => {
    const zip = skillZip([{ path: 'a.txt', content: 'A' }]);
    const { skill_id: id, revision } = await create(zip);
    const link = await json<{
      readonly download_url: string;
      readonly revision: string;
      readonly name: string;
    }>(await call('GET', `/v1/skills/${id}/download`), 200);
    assert.deepEqual([link.revision, link.name], [revision, 'weekly-report']);
    assert.match(link.download_url, /^\/v1\/skills\//, 'no header of the request is in it');
    const url = new URL(link.download_url, server.url);
    const reply = await fetch(url);
    assert.equal(reply.headers.get('content-type'), 'application/zip');
    assert.match(reply.headers.get('content-disposition') ?? '', /^attachment/);
    assert.deepEqual(Buffer.from(await reply.arrayBuffer()), zip);
    for (const [name, value] of [
      ['revision', 'rev_x'],
      ['expires', '9999999999'],
      ['sig', 'x'],
    ] as const) {
      const altered = new URL(url);
      altered.searchParams.set(name, value);
      await refused(fetch(altered), 404);
    }
    await refused(fetch(`${url.origin}${url.pathname}`), 404);
    await refused(fetch(url.href.replace(id, 'skill_other')), 404);
  });

  test('a link is a whole address where the public one is known, whatever Host says', async (t) => {
    const own = await startServer(t, { env: { NESTOR_PUBLIC_URL: 'https://nestor.example/' } });
    const { skill_id: id } = await create(undefined, own);
    const link = await json<{ readonly download_url: string }>(
      await call('GET', `/v1/skills/${id}/download`, undefined, own),
      200,
    );
    assert.match(link.download_url, /^https:\/\/nestor\.example\/v1\/skills\//);
  });

  test('a link is over after ten minutes', async (t) => {
    let shift = 0;
    const clock = { now: () => Date.now() + shift, monotonic: () => performance.now() };
    const own = await startServer(t, { clock });
    const { skill_id: id } = await create(undefined, own);
    const link = await json<{ readonly download_url: string }>(
      await call('GET', `/v1/skills/${id}/download`, undefined, own),
      200,
    );
    const url = new URL(link.download_url, own.url);
    assert.equal((await fetch(url)).status, 200);
    shift = 600_000;
    await refused(fetch(url), 404);
  });

  test('an account has so many skills and no more, also when uploads meet', async (t) => {
    const own = await startServer(t, { env: { ...unlimited, NESTOR_SKILLS_MAX_PER_ACCOUNT: '3' } });
    const replies = await Promise.all(
      Array.from({ length: 4 }, () => call('POST', '/v1/skills', form(), own)),
    );
    const statuses = replies.map(({ status }) => status).toSorted((a, b) => a - b);
    assert.deepEqual(statuses, [201, 201, 201, 409]);
    const { message } = await refused(call('POST', '/v1/skills', form(), own), 409);
    assert.equal(message, 'Skill limit reached; delete a skill to create another');
  });

  test('more than four uploads at a time are 429', async () => {
    const large = skillZip([{ path: 'a', content: randomBytes(4_000_000) }]);
    const replies = await Promise.all(
      Array.from({ length: 12 }, () => call('POST', '/v1/skills', form(large))),
    );
    assert.ok(replies.some(({ status }) => status === 429));
    for (const reply of replies) {
      assert.ok([201, 429].includes(reply.status), await reply.clone().text());
      if (reply.status === 429) assert.ok(Number(reply.headers.get('retry-after')) >= 1);
    }
  });

  test('the latest 100 revisions are kept', async () => {
    let { skill_id: id, revision } = await create();
    const first = revision;
    for (let index = 0; index < 100; index++) {
      const reply = await call(
        'PUT',
        `/v1/skills/${id}?expected_revision=${revision}`,
        form(skillZip([], skillText)),
      );
      ({ revision } = await json<SkillBody>(reply, 200));
    }
    await refused(call('GET', `/v1/skills/${id}?revision=${first}`), 404);
    const { revisions } = await json<{ readonly revisions: readonly SkillBody[] }>(
      await call('GET', `/v1/skills/${id}/revisions?limit=200`),
      200,
    );
    assert.deepEqual([revisions.length, revisions[0]?.revision], [100, revision]);
  });
});
