// The file functions that the embedded store uses, on the simulated disk for paths below /simulated and as they
// were for all others.

import fs from "node:fs";
import { type Disk, directoryDescriptor, firstDescriptor } from "./model/disk.ts";

/** The directory of the simulated disk. */
export const simulatedDirectory = "/simulated";

let mounted: Disk | undefined;

export function mount(disk: Disk | undefined): void {
  mounted = disk;
}

/** Replaces the functions; `syncBuiltinESMExports` has to follow. */
export function sealFiles(): void {
  byPath<[path: string, flags: string | number]>("openSync", (disk, [path, flags]) => {
    if (path === simulatedDirectory) return disk.openDirectory();
    const mode = flags === "wx+" ? "exclusive" : flags === "r+" ? "existing" : "create";
    return disk.open(nameOf(path), mode);
  });
  byPath<[from: string, to: string]>("renameSync", (disk, [from, to]) =>
    disk.rename(nameOf(from), nameOf(to)),
  );
  byDescriptor<[]>("closeSync", (disk, descriptor) => disk.close(descriptor));
  byDescriptor<[]>("fstatSync", (disk, descriptor) => ({ size: disk.file(descriptor).size }));
  byDescriptor<[size: number]>("ftruncateSync", (disk, descriptor, [size]) =>
    disk.file(descriptor).change({ type: "truncate", size }),
  );
  byDescriptor<[]>("fsyncSync", (disk, descriptor) => {
    if (descriptor < firstDescriptor) disk.syncDirectory();
    else disk.file(descriptor).sync(Number.POSITIVE_INFINITY);
  });
  byDescriptor<[done: (error: null) => void]>("fdatasync", (disk, descriptor, [done]) => {
    void disk.sync(descriptor).then(() => done(null));
  });
  byDescriptor<Part>("readSync", (disk, descriptor, [buffer, start, length, offset]) =>
    disk.file(descriptor).read(buffer.subarray(start, start + length), offset),
  );
  byDescriptor<Part>("writeSync", (disk, descriptor, [buffer, start, length, offset]) => {
    const bytes = Buffer.from(buffer.subarray(start, start + length));
    disk.file(descriptor).change({ type: "write", offset, bytes });
    return length;
  });
  ofPromises("mkdir", () => undefined);
  ofPromises("readdir", (disk) => disk.names());
  ofPromises("rm", (disk, path) => disk.remove(nameOf(path)));
}

type Part = [buffer: Uint8Array, start: number, length: number, offset: number];
type Anything = (...given: unknown[]) => unknown;

function byPath<Given extends [string, ...unknown[]]>(
  name: string,
  simulated: (disk: Disk, given: Given) => unknown,
): void {
  replace(fs as never, name, (real) => (...given) => {
    const disk = String(given[0]).startsWith(simulatedDirectory) ? mounted : undefined;
    return disk === undefined ? real(...given) : simulated(disk, given as Given);
  });
}

function byDescriptor<Given extends unknown[]>(
  name: string,
  simulated: (disk: Disk, descriptor: number, given: Given) => unknown,
): void {
  replace(fs as never, name, (real) => (descriptor, ...given) => {
    const disk = Number(descriptor) >= directoryDescriptor ? mounted : undefined;
    return disk === undefined
      ? real(descriptor, ...given)
      : simulated(disk, Number(descriptor), given as Given);
  });
}

function ofPromises(name: string, simulated: (disk: Disk, path: string) => unknown): void {
  replace(fs.promises as never, name, (real) => async (path, ...given) => {
    const disk = String(path).startsWith(simulatedDirectory) ? mounted : undefined;
    return disk === undefined ? real(path, ...given) : simulated(disk, String(path));
  });
}

function replace(
  module: Record<string, Anything>,
  name: string,
  wrap: (real: Anything) => Anything,
): void {
  module[name] = wrap(module[name] as Anything);
}

function nameOf(path: string): string {
  return path.slice(simulatedDirectory.length + 1);
}
