// SPDY header blocks: names and values with their lengths, compressed by one zlib stream per direction.
import { constants, createDeflate, createInflate, type Deflate, type Inflate } from "node:zlib";
import { dictionary } from "./dictionary.ts";
import { SpdyError } from "./frames.ts";

export type Headers = ReadonlyMap<string, string>;

const maximumBlock = 256 * 1024;

/** Compresses headers into blocks and back; calls must not overlap. */
export class HeaderCodec {
  readonly #deflate: Deflate = createDeflate({ dictionary });
  readonly #inflate: Inflate = createInflate({ dictionary });

  async compress(headers: Headers): Promise<Buffer> {
    return await pass(this.#deflate, encode(headers));
  }

  async decompress(block: Buffer): Promise<Headers> {
    return decode(await pass(this.#inflate, block));
  }

  close(): void {
    this.#deflate.destroy();
    this.#inflate.destroy();
  }
}

/** Writes one block and flushes, so that all of its output comes out. */
function pass(codec: Deflate | Inflate, input: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (error?: Error): void => {
      codec.off("data", take);
      codec.off("error", finish);
      if (error === undefined) resolve(Buffer.concat(chunks));
      else reject(new SpdyError("Cannot read a SPDY header block", { cause: error }));
    };
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > maximumBlock) codec.destroy(new Error("it is too long"));
      else chunks.push(chunk);
    };
    codec.on("data", take);
    codec.once("error", finish);
    codec.write(input);
    codec.flush(constants.Z_SYNC_FLUSH, () => finish());
  });
}

function encode(headers: Headers): Buffer {
  const parts = [word(headers.size)];
  for (const [name, value] of headers) parts.push(text(name.toLowerCase()), text(value));
  return Buffer.concat(parts);
}

function decode(block: Buffer): Headers {
  let offset = 0;
  const number = (): number => {
    if (block.length < offset + 4)
      throw new SpdyError("Cannot read a SPDY header block: it is cut short");
    const value = block.readUInt32BE(offset);
    offset += 4;
    return value;
  };
  const string = (): string => {
    const length = number();
    if (block.length < offset + length) {
      throw new SpdyError("Cannot read a SPDY header block: it is cut short");
    }
    const value = block.toString("utf8", offset, offset + length);
    offset += length;
    return value;
  };
  const headers = new Map<string, string>();
  for (let left = number(); left > 0; left -= 1) {
    const name = string().toLowerCase();
    headers.set(name, string());
  }
  return headers;
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, "utf8");
  return Buffer.concat([word(bytes.length), bytes]);
}

function word(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(value);
  return buffer;
}
