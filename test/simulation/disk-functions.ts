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
  byPath("openSync", (disk, path, flags) => {
    if (path === simulatedDirectory) return disk.openDirectory();
    const mode = flags === "wx+" ? "exclusive" : flags === "r+" ? "existing" : "create";
    return disk.open(nameOf(path), mode);
  });
  byPath("renameSync", (disk, from, to) => disk.rename(nameOf(from), nameOf(String(to))));
  byDescriptor("closeSync", (disk, descriptor) => disk.close(descriptor));
  byDescriptor("fstatSync", (disk, descriptor) => ({ size: disk.file(descriptor).size }));
  byDescriptor("ftruncateSync", (disk, descriptor, [size]) =>
    disk.file(descriptor).change({ type: "truncate", size: Number(size) }),
  );
  byDescriptor("fsyncSync", (disk, descriptor) => {
    if (descriptor < firstDescriptor) disk.syncDirectory();
    else disk.file(descriptor).sync(Number.POSITIVE_INFINITY);
  });
  byDescriptor("fdatasync", (disk, descriptor, [done]) =>
    disk.sync(descriptor, () => (done as (error: null) => void)(null)),
  );
  byDescriptor("readSync", (disk, descriptor, given) => {
    const [buffer, start, length, offset] = given as Part;
    return disk.file(descriptor).read(buffer.subarray(start, start + length), offset);
  });
  byDescriptor("writeSync", (disk, descriptor, given) => {
    const [buffer, start, length, offset] = given as Part;
    const bytes = Buffer.from(buffer.subarray(start, start + length));
    disk.file(descriptor).change({ type: "write", offset, bytes });
    return length;
  });
  ofPromises("mkdir", () => undefined);
  ofPromises("readdir", (disk) => disk.names());
  ofPromises("rm", (disk, path) => disk.remove(nameOf(path)));
}

type Part = readonly [buffer: Uint8Array, start: number, length: number, offset: number];
type Anything = (...given: unknown[]) => unknown;

function byPath(
  name: string,
  simulated: (disk: Disk, path: string, given: unknown) => unknown,
): void {
  replace(fs as never, name, (real) => (path, ...given) => {
    const disk = String(path).startsWith(simulatedDirectory) ? mounted : undefined;
    return disk === undefined ? real(path, ...given) : simulated(disk, String(path), given[0]);
  });
}

function byDescriptor(
  name: string,
  simulated: (disk: Disk, descriptor: number, given: readonly unknown[]) => unknown,
): void {
  replace(fs as never, name, (real) => (descriptor, ...given) => {
    const disk = Number(descriptor) >= directoryDescriptor ? mounted : undefined;
    return disk === undefined
      ? real(descriptor, ...given)
      : simulated(disk, Number(descriptor), given);
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
