// SPDY/3.1 frames: a control frame has a type, a data frame a stream.

export type Frame =
  | { readonly type: "data"; readonly stream: number; readonly fin: boolean; readonly data: Buffer }
  | {
      readonly type: "synStream";
      readonly stream: number;
      readonly fin: boolean;
      /** The header block, still compressed: the blocks of a connection share one compression state. */
      readonly headers: Buffer;
    }
  | {
      readonly type: "synReply";
      readonly stream: number;
      readonly fin: boolean;
      readonly headers: Buffer;
    }
  | {
      readonly type: "headers";
      readonly stream: number;
      readonly fin: boolean;
      readonly headers: Buffer;
    }
  | { readonly type: "rstStream"; readonly stream: number; readonly status: number }
  | { readonly type: "windowUpdate"; readonly stream: number; readonly delta: number }
  | { readonly type: "ping"; readonly id: number }
  | { readonly type: "goAway"; readonly lastStream: number; readonly status: number }
  | { readonly type: "settings" };

const version = 3;
const types = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
  windowUpdate: 9,
} as const;
const headerSize = 8;
const controlBit = 0x8000;
const streamMask = 0x7fff_ffff;
const finFlag = 1;
/** The size limits: more than any client sends; they keep a hostile length from exhausting memory. */
const maximumControlSize = 1 << 20;
const maximumDataSize = 1 << 20;

export class SpdyError extends Error {
  readonly reason = "protocol";
}

/** Splits a byte stream into frames. */
export class FrameReader {
  #pending: Buffer = Buffer.alloc(0);

  *push(chunk: Buffer): Iterable<Frame> {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    for (;;) {
      if (this.#pending.length < headerSize) return;
      const isControl = (this.#pending.readUInt16BE(0) & controlBit) !== 0;
      const size = this.#pending.readUIntBE(5, 3);
      if (size > (isControl ? maximumControlSize : maximumDataSize)) {
        throw new SpdyError(`Cannot read a SPDY frame: it is ${size} bytes long`);
      }
      if (this.#pending.length < headerSize + size) return;
      const head = this.#pending.subarray(0, headerSize);
      const body = this.#pending.subarray(headerSize, headerSize + size);
      this.#pending = this.#pending.subarray(headerSize + size);
      const frame = isControl ? controlFrame(head, body) : dataFrame(head, body);
      if (frame !== undefined) yield frame;
    }
  }
}

export function encodeFrame(frame: Frame): Buffer {
  switch (frame.type) {
    case "data": {
      const head = Buffer.alloc(headerSize);
      head.writeUInt32BE(frame.stream & streamMask, 0);
      head.writeUInt8(frame.fin ? finFlag : 0, 4);
      head.writeUIntBE(frame.data.length, 5, 3);
      return Buffer.concat([head, frame.data]);
    }
    case "synStream":
      return control(
        types.synStream,
        frame.fin,
        words(frame.stream, 0),
        Buffer.alloc(2),
        frame.headers,
      );
    case "synReply":
      return control(types.synReply, frame.fin, words(frame.stream), frame.headers);
    case "headers":
      return control(types.headers, frame.fin, words(frame.stream), frame.headers);
    case "rstStream":
      return control(types.rstStream, false, words(frame.stream, frame.status));
    case "windowUpdate":
      return control(types.windowUpdate, false, words(frame.stream, frame.delta));
    case "ping":
      return control(types.ping, false, words(frame.id));
    case "goAway":
      return control(types.goAway, false, words(frame.lastStream, frame.status));
    case "settings":
      return control(types.settings, false, words(0));
  }
}

function dataFrame(head: Buffer, body: Buffer): Frame {
  const stream = head.readUInt32BE(0) & streamMask;
  return {
    type: "data",
    stream,
    fin: (head.readUInt8(4) & finFlag) !== 0,
    data: Buffer.from(body),
  };
}

/** Parses a control frame; `undefined` for types that may be ignored. */
function controlFrame(head: Buffer, body: Buffer): Frame | undefined {
  if ((head.readUInt16BE(0) & ~controlBit) !== version) {
    throw new SpdyError("Cannot read a SPDY frame: it is not of version 3");
  }
  const fin = (head.readUInt8(4) & finFlag) !== 0;
  const word = (offset: number): number => {
    if (body.length < offset + 4) throw new SpdyError("Cannot read a SPDY frame: it is cut short");
    return body.readUInt32BE(offset);
  };
  const stream = (): number => word(0) & streamMask;
  switch (head.readUInt16BE(2)) {
    case types.synStream:
      word(6);
      return { type: "synStream", stream: stream(), fin, headers: Buffer.from(body.subarray(10)) };
    case types.synReply:
      return { type: "synReply", stream: stream(), fin, headers: Buffer.from(body.subarray(4)) };
    case types.headers:
      return { type: "headers", stream: stream(), fin, headers: Buffer.from(body.subarray(4)) };
    case types.rstStream:
      return { type: "rstStream", stream: stream(), status: word(4) };
    case types.windowUpdate:
      return { type: "windowUpdate", stream: stream(), delta: word(4) & streamMask };
    case types.ping:
      return { type: "ping", id: word(0) };
    case types.goAway:
      return { type: "goAway", lastStream: stream(), status: word(4) };
    case types.settings:
      return { type: "settings" };
    default:
      return undefined;
  }
}

function control(type: number, fin: boolean, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(headerSize);
  head.writeUInt16BE(controlBit | version, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt8(fin ? finFlag : 0, 4);
  head.writeUIntBE(body.length, 5, 3);
  return Buffer.concat([head, body]);
}

function words(...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) buffer.writeUInt32BE(value >>> 0, index * 4);
  return buffer;
}
