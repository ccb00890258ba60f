import { ParseError } from "./error.ts";
import { defaultMaxBytes, type ParseOptions } from "./options.ts";

/** Decodes the text of a body; refuses one that is too large or not UTF-8. */
export function decodeText(body: string | Uint8Array, options: ParseOptions): string {
  const maxBytes = options.maxBytes ?? defaultMaxBytes;
  const size = body.length;
  if (size > maxBytes) {
    throw new ParseError(
      "TooLarge",
      `Cannot parse the body: ${size} bytes, the limit is ${maxBytes}`,
    );
  }
  if (typeof body === "string") return body;
  try {
    return strictUtf8.decode(body);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const position = firstInvalidByte(body);
    throw new ParseError(
      "InvalidEncoding",
      `Cannot parse the body: byte ${position} is not UTF-8`,
      {
        position,
        cause: error,
      },
    );
  }
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenientUtf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** The first invalid byte: the first that decoding leniently and encoding again changes. */
function firstInvalidByte(body: Uint8Array): number {
  const mended = new TextEncoder().encode(lenientUtf8.decode(body));
  const index = body.findIndex((byte, at) => byte !== mended[at]);
  return index === -1 ? body.length : index;
}
