import { closeSync, fstatSync, openSync, renameSync, writeSync } from "node:fs";

const largest = 8 * 1024 * 1024;

/** The log file of one program, readable by its owner alone. One rotated file is kept. */
export class LogFile {
  readonly path: string;
  /** The newest lines, for error messages. */
  readonly #newest: string[] = [];
  #descriptor: number;
  #bytes: number;

  constructor(path: string) {
    this.path = path;
    this.#descriptor = openSync(path, "a", 0o600);
    this.#bytes = fstatSync(this.#descriptor).size;
  }

  write(line: string): void {
    const bytes = Buffer.from(`${line}\n`);
    if (this.#bytes + bytes.length > largest) this.#turnOver();
    writeSync(this.#descriptor, bytes);
    this.#bytes += bytes.length;
    this.#newest.push(line);
    if (this.#newest.length > 5) this.#newest.shift();
  }

  get newest(): string {
    return this.#newest.join("\n");
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #turnOver(): void {
    closeSync(this.#descriptor);
    renameSync(this.path, `${this.path}.1`);
    this.#descriptor = openSync(this.path, "a", 0o600);
    this.#bytes = 0;
  }
}
