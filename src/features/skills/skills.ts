import { Fault } from '../../kernel/faults.ts';
import type { Clock } from '../../kernel/kit/clock.ts';
import { FairSlots } from '../../kernel/kit/fair-slots.ts';
import { shortId, type Ids } from '../../kernel/kit/ids.ts';
import { createPageTokens, type PageTokens } from '../../kernel/kit/page-tokens.ts';
import { createSigner, type Signer } from '../../kernel/kit/signer.ts';
import type { ChangeOutcome, NewRevision, RevisionRow, SkillRow, Skills } from './store.ts';
import { parseBundle, readContent, type SkillContent } from './bundle.ts';

/** A skill as of one of its revisions. */
export interface SkillRecord {
  readonly skill: SkillRow;
  readonly revision: RevisionRow;
}

interface SkillServiceOptions {
  readonly skills: Skills;
  /** Signs links and page tokens; the same for all processes of a store. */
  readonly secret: string;
  readonly skillsMax: number;
  readonly clock: Clock;
  readonly ids: Ids;
}

const revisionsMax = 100;
const uploadsAtOnce = 4;
const readsAtOnce = 4;
const linkTimeS = 600;
const uploadRetryMs = 1_000;

/** The skills of accounts. What is unknown or foreign is Fault `not_found`. */
export class SkillService {
  readonly #options: SkillServiceOptions;
  readonly #skills: Skills;
  readonly #signer: Signer;
  readonly #tokens: PageTokens;
  /** Uploads under way by account: unpacking is work, of which an account has a bounded share. */
  readonly #uploads = new Map<string, number>();
  /** Bundles that are unpacked for runs. */
  readonly #reads = new FairSlots({ slotsMax: readsAtOnce, waitingMax: 256 });

  constructor(options: SkillServiceOptions) {
    this.#options = options;
    this.#skills = options.skills;
    this.#signer = createSigner(options.secret);
    this.#tokens = createPageTokens(options.secret, 'skills');
  }

  /**
   * Throws Fault `invalid_value` for a bad bundle, `conflict` at the account's limit, `rate_limited` when too many
   * uploads of one account are under way, `bad_gateway` when the store cannot be written.
   */
  create(accountId: string, bundle: Uint8Array): Promise<SkillRecord> {
    return this.#upload(accountId, async () => {
      const revision = await this.#read(bundle);
      const id = `skill_${shortId(this.#options.ids)}`;
      const { createdAtMs } = revision;
      const skill = { id, accountId, createdAtMs, updatedAtMs: createdAtMs };
      const isNew = await written(() => this.#skills.create(skill, revision, this.#options.skillsMax));
      if (!isNew) throw new Fault('conflict', 'Skill limit reached; delete a skill to create another');
      return this.#recordOf(accountId, id, revision);
    });
  }

  /** Throws Fault `conflict` when `expected` is not the latest revision, and what `create` throws. */
  update(accountId: string, id: string, expected: string, bundle: Uint8Array): Promise<SkillRecord> {
    return this.#upload(accountId, async () => {
      await this.#find(accountId, id);
      const revision = await this.#read(bundle);
      settle(await written(() => this.#skills.update({ accountId, id, expected }, revision, revisionsMax)));
      return this.#recordOf(accountId, id, revision);
    });
  }

  async remove(accountId: string, id: string, expected: string): Promise<void> {
    settle(await written(() => this.#skills.remove(accountId, id, expected)));
  }

  async list(accountId: string, limit: number, token: string | null) {
    const beforeOrdinal = readToken(this.#tokens, accountId, token);
    const found = await this.#skills.list(accountId, { beforeOrdinal, limit: limit + 1 });
    return this.#tokens.toPage(accountId, found, limit, ({ ordinal }) => ordinal);
  }

  /** A skill as of a revision; null is the latest. */
  async get(accountId: string, id: string, revision: string | null): Promise<SkillRecord> {
    const skill = await this.#find(accountId, id);
    const row = await this.#skills.findRevision(id, revision ?? skill.latestRevision);
    if (row === undefined) throw new Fault('not_found', 'revision not found');
    return { skill, revision: row };
  }

  async listRevisions(accountId: string, id: string, limit: number, token: string | null) {
    await this.#find(accountId, id);
    const beforeOrdinal = readToken(this.#tokens, id, token);
    const found = await this.#skills.listRevisions(id, { beforeOrdinal, limit: limit + 1 });
    return this.#tokens.toPage(id, found, limit, ({ ordinal }) => ordinal);
  }

  /** Query string of a link that opens the bundle for ten minutes, without credentials. */
  signLink({ skill, revision }: SkillRecord): string {
    const expires = String(Math.floor(this.#options.clock.now() / 1_000) + linkTimeS);
    const sig = this.#signer.sign(linkText(skill.id, revision.id, expires));
    return new URLSearchParams({ revision: revision.id, expires, sig }).toString();
  }

  /** The bundle behind a link; throws Fault `not_found` for one that is expired or altered. */
  async openLink(id: string, revision: string, expires: string, signature: string): Promise<Uint8Array> {
    const isValid = this.#signer.verify(linkText(id, revision, expires), signature);
    const isOver = Number(expires) * 1_000 <= this.#options.clock.now();
    const bundle = isValid && !isOver ? await this.#skills.readBundle(id, revision) : undefined;
    if (bundle === undefined) throw new Fault('not_found', 'link not found');
    return bundle;
  }

  /** What stands in the bundle of a record. Rejects with SlotsFull, and the reason of the signal. */
  load({ skill, revision }: SkillRecord, signal: AbortSignal): Promise<SkillContent> {
    return this.#reads.run(skill.accountId, signal, async () => {
      const bundle = await this.#skills.readBundle(skill.id, revision.id);
      if (bundle === undefined) throw unknownSkill();
      const { instructions, files } = await readContent(bundle);
      return { instructions, files };
    });
  }

  async #upload<Value>(accountId: string, work: () => Promise<Value>): Promise<Value> {
    const busy = this.#uploads.get(accountId) ?? 0;
    if (busy >= uploadsAtOnce)
      throw new Fault('rate_limited', `At most ${uploadsAtOnce} uploads at a time`, {
        retryAfterMs: uploadRetryMs,
      });
    this.#uploads.set(accountId, busy + 1);
    try {
      return await work();
    } finally {
      const left = (this.#uploads.get(accountId) ?? 1) - 1;
      if (left === 0) this.#uploads.delete(accountId);
      else this.#uploads.set(accountId, left);
    }
  }

  async #find(accountId: string, id: string): Promise<SkillRow> {
    const skill = await this.#skills.find(accountId, id);
    if (skill === undefined) throw unknownSkill();
    return skill;
  }

  async #read(bundle: Uint8Array): Promise<NewRevision> {
    const { name, description, extra } = await parseBundle(bundle);
    const id = `rev_${shortId(this.#options.ids)}`;
    return {
      id,
      name,
      description,
      extra: JSON.stringify(extra),
      bundle,
      createdAtMs: this.#options.clock.now(),
    };
  }

  async #recordOf(accountId: string, id: string, revision: NewRevision): Promise<SkillRecord> {
    return { skill: await this.#find(accountId, id), revision: { ...revision, skillId: id, ordinal: 0 } };
  }
}

function readToken(tokens: PageTokens, scope: string, token: string | null): number | null {
  const ordinal = token === null ? null : tokens.read(scope, token);
  if (token !== null && ordinal === null)
    throw new Fault('invalid_value', 'page_token is invalid', { param: 'page_token' });
  return ordinal;
}

function linkText(id: string, revision: string, expires: string): string {
  return `bundle\n${id}\n${revision}\n${expires}`;
}

function unknownSkill(): Fault {
  return new Fault('not_found', 'skill not found');
}

function settle(outcome: ChangeOutcome): void {
  if (outcome === 'missing') throw unknownSkill();
  if (outcome === 'changed')
    throw new Fault('conflict', 'expected_revision does not match the latest revision', {
      param: 'expected_revision',
    });
}

/** Reports a failure of the store as 502: it is the backend of this operation. */
async function written<Value>(write: () => Promise<Value>): Promise<Value> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof Fault && error.status < 500) throw error;
    throw new Fault('bad_gateway', 'The skill store cannot be written.', { cause: error });
  }
}
