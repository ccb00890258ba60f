// A disk in memory that tells what was written from what is durable, so that a power failure can take the
// difference.

import type { Simulation } from "../simulation.ts";

type Pending =
  | { readonly type: "write"; readonly offset: number; readonly bytes: Buffer }
  | { readonly type: "truncate"; readonly size: number };

export class DiskFile {
  #bytes: Buffer = Buffer.alloc(0);
  #durable: Buffer = Buffer.alloc(0);
  #pending: Pending[] = [];

  get size(): number {
    return this.#bytes.length;
  }

  read(target: Uint8Array, offset: number): number {
    const part = this.#bytes.subarray(offset, offset + target.length);
    target.set(part);
    return part.length;
  }

  change(change: Pending): void {
    this.#bytes = apply(this.#bytes, change);
    this.#pending.push(change);
  }

  /** The number of changes that a sync which begins now makes durable. */
  get unsynced(): number {
    return this.#pending.length;
  }

  sync(count: number): void {
    for (const change of this.#pending.splice(0, count)) {
      this.#durable = apply(this.#durable, change);
    }
  }

  /** Loses what is not durable, from some change on; that one may be torn. */
  losePower(simulation: Simulation): void {
    const kept = simulation.draw(0, this.#pending.length + 1);
    const torn = this.#pending[kept];
    this.sync(kept);
    if (torn?.type === "write" && torn.bytes.length > sector) {
      const bytes = torn.bytes.subarray(0, simulation.draw(0, torn.bytes.length));
      this.#durable = apply(this.#durable, { ...torn, bytes });
    }
    this.#bytes = this.#durable;
    this.#pending = [];
  }
}

/** A write of so few bytes is done as a whole or not at all. */
const sector = 32;

export class Disk {
  /** Whether what was synced is durable. */
  isHonest = true;
  readonly #simulation: Simulation;
  #names = new Map<string, DiskFile>();
  #durableNames = new Map<string, DiskFile>();
  readonly #open = new Map<number, DiskFile>();
  #nextDescriptor = firstDescriptor;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  names(): string[] {
    return [...this.#names.keys()];
  }

  open(name: string, mode: "create" | "exclusive" | "existing"): number {
    let file = this.#names.get(name);
    if (mode === "existing" && file === undefined) throw coded("ENOENT", name);
    if (mode === "exclusive" && file !== undefined) throw coded("EEXIST", name);
    if (file === undefined) {
      file = new DiskFile();
      this.#names.set(name, file);
    }
    this.#open.set(this.#nextDescriptor, file);
    return this.#nextDescriptor++;
  }

  /** Opens the directory itself, in order to sync it. */
  openDirectory(): number {
    return directoryDescriptor;
  }

  file(descriptor: number): DiskFile {
    const file = this.#open.get(descriptor);
    if (file === undefined) throw coded("EBADF", String(descriptor));
    return file;
  }

  close(descriptor: number): void {
    this.#open.delete(descriptor);
  }

  syncDirectory(): void {
    this.#durableNames = new Map(this.#names);
  }

  rename(from: string, to: string): void {
    const file = this.#names.get(from);
    if (file === undefined) throw coded("ENOENT", from);
    this.#names.delete(from);
    this.#names.set(to, file);
  }

  remove(name: string): void {
    this.#names.delete(name);
  }

  /** Makes a file durable after the time that a disk takes. */
  sync(descriptor: number, done: () => void): void {
    const file = this.file(descriptor);
    const count = file.unsynced;
    this.#simulation.after(this.#simulation.draw(1, 8), () => {
      if (this.isHonest) file.sync(count);
      done();
    });
  }

  /** Ends all use by a process that was killed; with the power, what is not durable is gone, too. */
  crash({ withPower }: { readonly withPower: boolean }): void {
    this.#open.clear();
    if (!withPower) return;
    if (this.#simulation.chance(0.5)) this.#names = new Map(this.#durableNames);
    for (const file of new Set(this.#names.values())) file.losePower(this.#simulation);
    this.syncDirectory();
  }
}

export const firstDescriptor = 1 << 20;
export const directoryDescriptor = firstDescriptor - 1;

function apply(bytes: Buffer, change: Pending): Buffer {
  if (change.type === "truncate") return Buffer.from(bytes.subarray(0, change.size));
  const { offset, bytes: written } = change;
  const grown = Buffer.alloc(Math.max(bytes.length, offset + written.length));
  bytes.copy(grown);
  written.copy(grown, offset);
  return grown;
}

function coded(code: string, name: string): Error {
  return Object.assign(new Error(`${code}: ${name}`), { code });
}
