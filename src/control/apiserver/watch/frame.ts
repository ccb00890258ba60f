import { Writer } from "../../../api/protobuf/writer.ts";
import type { View } from "../views/view.ts";

type EventType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";

/** Returns one watch event around an object that is already encoded. */
export function frame(media: View["media"], type: EventType, object: Buffer): Buffer {
  return media === "json" ? jsonFrame(type, object) : protobufFrame(type, object);
}

function jsonFrame(type: EventType, object: Buffer): Buffer {
  const head = `{"type":"${type}","object":`;
  const result = Buffer.allocUnsafe(head.length + object.length + 2);
  result.write(head, "latin1");
  object.copy(result, head.length);
  result.write("}\n", head.length + object.length, "latin1");
  return result;
}

/** Encodes the length in four bytes, then a WatchEvent whose object is a raw extension. */
function protobufFrame(type: EventType, object: Buffer): Buffer {
  const writer = new Writer();
  writer.head(1, type.length);
  writer.raw(Buffer.from(type));
  writer.message(2, () => {
    writer.head(1, object.length);
    writer.raw(object);
  });
  const message = writer.finish();
  const result = Buffer.allocUnsafe(message.length + 4);
  result.writeUInt32BE(message.length);
  result.set(message, 4);
  return result;
}
