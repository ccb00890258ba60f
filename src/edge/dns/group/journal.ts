// The journal of a group on disk: its members and the events still to be delivered. An event is written
// before it is delivered and removed afterwards, so that a restart misses none.

import type { Clock } from "../../../base/host/clock.ts";
import type { Files } from "../../../base/host/files.ts";
import type { Random } from "../../../base/host/random.ts";
import { changeOf, type GroupEvent, type Member } from "./member.ts";

interface State {
  /** The prefix of this group's event ids, which distinguishes them from those of others. */
  readonly prefix: string;
  /** The number of events so far. */
  sequence: number;
  /** The resource version up to which changes have been read. */
  resourceVersion: string | undefined;
  members: Member[];
  pending: GroupEvent[];
}

export interface JournalOptions {
  readonly path: string;
  readonly files: Files;
  readonly clock: Clock;
  readonly random: Random;
}

export class Journal {
  readonly #options: JournalOptions;
  readonly #state: State;
  readonly #members: Map<string, Member>;
  #saving: Promise<void> = Promise.resolve();
  #wake = Promise.withResolvers<void>();

  private constructor(options: JournalOptions, state: State) {
    this.#options = options;
    this.#state = state;
    this.#members = new Map(state.members.map((member) => [member.uid, member]));
  }

  static async open(options: JournalOptions): Promise<Journal> {
    const { path, files, random } = options;
    const text = await files.read(path);
    return new Journal(options, text === undefined ? newState(random) : parse(path, text));
  }

  /** The version to watch from; undefined when all pods have to be listed. */
  get resourceVersion(): string | undefined {
    return this.#state.resourceVersion;
  }

  /** Waits for the next event to deliver; undefined when the signal aborts. */
  async next(signal: AbortSignal): Promise<GroupEvent | undefined> {
    const stopped = Promise.withResolvers<void>();
    const stop = (): void => stopped.resolve();
    signal.addEventListener("abort", stop, { once: true });
    while (this.#state.pending.length === 0 && !signal.aborted) {
      await Promise.race([this.#wake.promise, stopped.promise]);
    }
    signal.removeEventListener("abort", stop);
    await this.#saving;
    return signal.aborted ? undefined : this.#state.pending[0];
  }

  /** Replaces all members by those of a list. */
  async replace(members: readonly Member[], resourceVersion: string): Promise<void> {
    const now = new Map(members.map((member) => [member.uid, member]));
    for (const uid of this.#members.keys()) if (!now.has(uid)) this.#put(uid, undefined);
    for (const [uid, member] of now) this.#put(uid, member);
    await this.#advance(resourceVersion);
  }

  /** Updates one member, or removes it. */
  async put(uid: string, member: Member | undefined, resourceVersion: string): Promise<void> {
    this.#put(uid, member);
    await this.#advance(resourceVersion);
  }

  async #advance(resourceVersion: string): Promise<void> {
    this.#state.resourceVersion = resourceVersion;
    await this.#save();
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }

  async seen(resourceVersion: string): Promise<void> {
    this.#state.resourceVersion = resourceVersion;
    await this.#save();
  }

  /** Forgets the version, which the server has compacted: all pods have to be listed again. */
  forgetVersion(): void {
    this.#state.resourceVersion = undefined;
  }

  async told({ id }: GroupEvent): Promise<void> {
    this.#state.pending = this.#state.pending.filter((event) => event.id !== id);
    await this.#save();
  }

  #put(uid: string, member: Member | undefined): void {
    const change = changeOf(this.#members.get(uid), member);
    if (change === undefined) return;
    if (member === undefined) this.#members.delete(uid);
    else this.#members.set(uid, member);
    this.#state.sequence += 1;
    const id = `${this.#state.prefix}-${this.#state.sequence}`;
    const time = new Date(this.#options.clock.now()).toISOString();
    this.#state.pending.push({ id, type: change.type, time, member: change.member });
  }

  /** Saves the state, one write at a time, each of the state at that moment. */
  async #save(): Promise<void> {
    const before = this.#saving;
    this.#saving = this.#write(before);
    await this.#saving;
  }

  async #write(before: Promise<void>): Promise<void> {
    // The failure of that write is reported to its own caller; this one writes everything anew.
    await before.catch(() => undefined);
    const { path, files } = this.#options;
    const state = { ...this.#state, members: [...this.#members.values()] };
    await files.write(path, `${JSON.stringify(state, undefined, 1)}\n`, { mode: 0o600 });
  }
}

function newState(random: Random): State {
  const prefix = Buffer.from(random.bytes(6)).toString("hex");
  return { prefix, sequence: 0, resourceVersion: undefined, members: [], pending: [] };
}

function parse(path: string, text: string): State {
  try {
    const state = JSON.parse(text) as Partial<State>;
    const { prefix, sequence, resourceVersion, members, pending } = state;
    const isWhole = Array.isArray(members) && Array.isArray(pending);
    if (typeof prefix !== "string" || typeof sequence !== "number" || !isWhole) {
      throw new Error("it is the state of no group");
    }
    return { prefix, sequence, resourceVersion, members, pending };
  } catch (cause) {
    throw new Error(`Cannot go on from ${path}: it cannot be read as a state`, { cause });
  }
}
