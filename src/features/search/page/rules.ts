export interface RobotsRule {
  readonly allows: boolean;
  /** What stands between the wildcards, in this order; the first begins the path. */
  readonly parts: readonly string[];
  /** With `$`: the last part ends the path. */
  readonly isWhole: boolean;
  /** Of the pattern: the longest one that matches rules. */
  readonly length: number;
}

/** What a `robots.txt` says to one crawler. Plain data: it is read in the page thread. */
export interface RobotsRules {
  readonly rules: readonly RobotsRule[];
  readonly sitemaps: readonly string[];
  /** Between two requests. Unit: ms; 0 where the site asks for none. */
  readonly delayMs: number;
}
