// gRPC framing: in front of each message a byte for compression, which is not used, and the length.

const headerSize = 5;

export function frame(message: Buffer): Buffer {
  const framed = Buffer.allocUnsafe(headerSize + message.length);
  framed[0] = 0;
  framed.writeUInt32BE(message.length, 1);
  framed.set(message, headerSize);
  return framed;
}

/** Reassembles messages from the pieces they arrive in. */
export class FrameReader {
  #pieces: Buffer[] = [];
  #length = 0;
  /** The number of bytes to wait for: a header, or a header and its message. */
  #needed = headerSize;

  *push(piece: Buffer): Generator<Buffer> {
    this.#pieces.push(piece);
    this.#length += piece.length;
    while (this.#length >= this.#needed) {
      const buffer = Buffer.concat(this.#pieces, this.#length);
      this.#pieces = [buffer];
      this.#needed = headerSize + buffer.readUInt32BE(1);
      if (this.#length < this.#needed) return;
      const message = buffer.subarray(headerSize, this.#needed);
      const rest = buffer.subarray(this.#needed);
      this.#pieces = [rest];
      this.#length = rest.length;
      this.#needed = headerSize;
      yield message;
    }
  }
}
