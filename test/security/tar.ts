// Archives with entries that no well-meaning program writes.

export interface Entry {
  readonly name: string;
  readonly type: "0" | "1" | "2" | "3" | "5" | "6" | "x";
  readonly mode: number;
  readonly content?: string;
  /** Where a link leads. */
  readonly target?: string;
  readonly device?: readonly [major: number, minor: number];
  /** The size that the header tells, if it is not the content's. */
  readonly size?: number;
}

export function file(name: string, content: string, mode = 0o644): Entry {
  return { name, type: "0", mode, content };
}

export function hardLink(name: string, target: string): Entry {
  return { name, type: "1", mode: 0o644, target };
}

export function symbolicLink(name: string, target: string): Entry {
  return { name, type: "2", mode: 0o777, target };
}

export function device(name: string, major: number, minor: number, mode = 0o644): Entry {
  return { name, type: "3", mode, device: [major, minor] };
}

export function directory(name: string, mode = 0o755): Entry {
  return { name: `${name}/`, type: "5", mode };
}

/** Says that the next entry has another name than its header tells. */
export function renaming(path: string): Entry {
  const rest = ` path=${path}\n`;
  const bytes = Buffer.byteLength(rest);
  // The number counts its own digits, too.
  const digits = [1, 2, 3, 4, 5].find((count) => String(bytes + count).length === count) ?? 0;
  const whole = `${bytes + digits}${rest}`;
  return { name: "PaxHeaders/next", type: "x", mode: 0o644, content: whole };
}

export function fifo(name: string): Entry {
  return { name, type: "6", mode: 0o644 };
}

const block = 512;

export function tarOf(entries: readonly Entry[]): Buffer {
  return Buffer.concat([...entries.flatMap(blocksOf), Buffer.alloc(2 * block)]);
}

function blocksOf(entry: Entry): Buffer[] {
  const content = Buffer.from(entry.content ?? "");
  const padding = Buffer.alloc((block - (content.length % block)) % block);
  return [headerOf(entry, entry.size ?? content.length), content, padding];
}

/** As POSIX has it; names of more than 100 characters are not needed here. */
function headerOf(
  { name, type, mode, target = "", device: numbers = [0, 0] }: Entry,
  size: number,
): Buffer {
  const header = Buffer.alloc(block);
  const octal = (value: number, length: number) => value.toString(8).padStart(length - 1, "0");
  header.write(name, 0, 100);
  header.write(octal(mode, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(size, 12), 124);
  header.write(octal(0, 12), 136);
  header.write(" ".repeat(8), 148);
  header.write(type, 156);
  header.write(target, 157, 100);
  header.write("ustar\u000000", 257);
  header.write(octal(numbers[0], 8), 329);
  header.write(octal(numbers[1], 8), 337);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 7)}\0 `, 148);
  return header;
}
