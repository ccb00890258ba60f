// The log, over all its files.

import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { StoreError } from "../errors.ts";
import { Acknowledged } from "./acknowledged.system.ts";
import { fileName, planFiles, syncDirectory, unfinished } from "./directory.system.ts";
import { type FoundRecord, readRecords } from "./record.ts";
import { damaged, Segment } from "./segment.system.ts";

/** A file that replaces older ones. */
export interface Snapshot {
  readonly segment: Segment;
  readonly replaces: readonly Segment[];
  readonly number: number;
}

/** The size of a segment: offsets below it are small integers, which take no heap memory of their own. */
const largestSegment = 1 << 28;

/** The place of a frame. */
export interface FramePlace {
  readonly segment: Segment;
  readonly offset: number;
}

type Visit = (record: FoundRecord, frame: FramePlace) => void;

export interface LossOptions {
  /** Whether to open the store even if acknowledged writes are missing. */
  readonly acceptLoss?: boolean | undefined;
  /** Receives messages about writes that were cut off or lost. */
  readonly warn?: ((message: string) => void) | undefined;
}

export class Log {
  readonly #directory: string;
  readonly #acknowledged: Acknowledged;
  readonly #loss: LossOptions;
  /** The files; the last one is written to. */
  #segments: Segment[] = [];
  #number = 0;

  private constructor(directory: string, loss: LossOptions) {
    this.#directory = directory;
    this.#acknowledged = new Acknowledged(directory);
    this.#loss = loss;
  }

  /** Opens the log and visits all records: the snapshot's by key, then the logs' in the order of writing. */
  static async open(directory: string, visit: Visit, loss: LossOptions = {}): Promise<Log> {
    const log = new Log(directory, loss);
    try {
      await log.#load(visit);
    } catch (error) {
      log.close();
      throw error;
    }
    return log;
  }

  /** The file that is written to at present. */
  get active(): Segment {
    return this.#segments.at(-1) as Segment;
  }

  /** The size of all files. */
  get bytes(): number {
    return this.#segments.reduce((sum, { size }) => sum + size, 0);
  }

  /** Starts a new file when the present one is full. */
  async rotateWhenFull(): Promise<void> {
    if (this.active.size >= largestSegment) await this.#begin();
  }

  /** Starts a new file for writes, and a snapshot that will replace all older files. */
  async beginSnapshot(): Promise<Snapshot> {
    const replaces = this.#segments;
    const number = this.#number;
    await this.#begin();
    const path = this.#path(unfinished);
    await rm(path, { force: true });
    return { segment: await Segment.create(path), replaces, number };
  }

  /** Puts the snapshot in the place of the files it replaces, also after a restart. */
  async placeSnapshot({ segment, replaces, number }: Snapshot): Promise<void> {
    await segment.sync();
    segment.rename(this.#path(fileName(number, "snapshot")));
    syncDirectory(this.#directory);
    this.#segments = [segment, ...this.#segments.filter((other) => !replaces.includes(other))];
  }

  /** Removes the files that a snapshot has replaced, once nothing refers to them. */
  async dropReplaced({ replaces }: Snapshot): Promise<void> {
    for (const segment of replaces) segment.retire();
    for (const segment of replaces) await rm(segment.path);
  }

  /** Removes a snapshot that was not completed. */
  async dropSnapshot({ segment }: Snapshot): Promise<void> {
    segment.retire();
    await rm(segment.path);
  }

  /** Keeps every file readable until the returned function is called. */
  hold(): () => void {
    const releases = this.#segments.map((segment) => segment.hold());
    return () => {
      for (const release of releases) release();
    };
  }

  /** Records that everything in the log up to now is acknowledged, and must be found again. */
  acknowledge(): void {
    this.#acknowledged.write({ number: this.#number, size: this.active.size });
  }

  close(): void {
    for (const segment of this.#segments) segment.retire();
    this.#acknowledged.close();
  }

  async #load(visit: Visit): Promise<void> {
    const plan = planFiles(await readdir(this.#directory));
    if (plan.missing !== undefined) {
      const name = fileName(plan.missing, "log");
      throw new StoreError(`Cannot open ${this.#directory}: ${name} is missing`, {
        reason: "damaged",
      });
    }
    for (const name of plan.stale) await rm(this.#path(name));
    this.#number = plan.snapshot ?? 0;
    if (plan.snapshot !== undefined) this.#loadSnapshot(plan.snapshot, visit);
    for (const number of plan.logs) {
      await this.#loadLog(number, { isLast: number === plan.logs.at(-1), visit });
    }
    if (plan.logs.length === 0) {
      const end = Number.POSITIVE_INFINITY;
      this.#checkAcknowledged(plan.snapshot ?? 0, { path: this.#directory, end });
    }
    // Data that clients are about to read must be durable, and after kill -9 it may not be on disk yet.
    if (this.#number > (plan.snapshot ?? 0)) await this.active.sync();
    else await this.#begin();
    this.acknowledge();
  }

  /** Cuts off a write torn by a crash; never one that was acknowledged. */
  #cut(segment: Segment, end: number): void {
    this.#checkAcknowledged(this.#number, { path: segment.path, end });
    const torn = segment.size - end;
    segment.cutTorn(end);
    if (torn === 0) return;
    this.#loss.warn?.(`cut off ${torn} bytes of an unfinished write at the end of ${segment.path}`);
  }

  /** Throws if the last log ends before the acknowledged place, unless that loss is accepted. */
  #checkAcknowledged(number: number, last: { path: string; end: number }): void {
    const place = this.#acknowledged.read();
    if (place === undefined || place.number < number) return;
    if (place.number === number && last.end >= place.size) return;
    const { acceptLoss, warn } = this.#loss;
    const path = this.#path(fileName(place.number, "log"));
    const state =
      place.number > number
        ? `${path} is missing`
        : `${last.path} ends at byte ${last.end}, but ${place.size} bytes of it were acknowledged`;
    if (acceptLoss !== true) {
      const message = `Cannot open the store: the end of what was acknowledged is lost: ${state}`;
      throw new StoreError(message, { reason: "damaged" });
    }
    warn?.(`the end of what was acknowledged is lost, and that was accepted: ${state}`);
  }

  #loadSnapshot(number: number, visit: Visit): void {
    const path = this.#path(fileName(number, "snapshot"));
    const segment = Segment.open(path);
    if (segment === undefined) throw damaged(path, 0);
    this.#segments.push(segment);
    let isWhole = false;
    const end = replay(segment, (record, frame) => {
      isWhole = record.kind === "mark";
      visit(record, frame);
    });
    if (end < segment.size || !isWhole) throw damaged(path, end);
  }

  async #loadLog(
    number: number,
    { isLast, visit }: { isLast: boolean; visit: Visit },
  ): Promise<void> {
    const path = this.#path(fileName(number, "log"));
    const segment = Segment.open(path);
    if (segment === undefined && isLast) return rm(path);
    if (segment === undefined) throw damaged(path, 0);
    this.#segments.push(segment);
    this.#number = number;
    const end = replay(segment, visit);
    if (isLast) this.#cut(segment, end);
    else if (end < segment.size) throw damaged(path, end);
  }

  async #begin(): Promise<void> {
    const number = this.#number + 1;
    const segment = await Segment.create(this.#path(fileName(number, "log")));
    syncDirectory(this.#directory);
    this.#segments = [...this.#segments, segment];
    this.#number = number;
  }

  #path(name: string): string {
    return join(this.#directory, name);
  }
}

/** Visits the frames of a file; returns where the last whole frame ends. */
function replay(segment: Segment, visit: Visit): number {
  return segment.readFrames((frame, offset) => {
    const place = { segment, offset };
    readRecords(frame, (record) => visit(record, place));
  });
}
