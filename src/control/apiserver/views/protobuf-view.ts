import { encodeItem, encodeProtobuf } from "../../../api/protobuf/envelope.ts";
import { readJson } from "../../../base/json/read-json.ts";
import type { JsonObject } from "../../../base/json/value.ts";
import type { View } from "./view.ts";

/** The protobuf form of another view: single objects in their envelope, entries of lists without. */
export function protobufView(view: View): View {
  const parse = (json: Buffer) => readJson(json.toString()) as JsonObject;
  const encode = (json: Buffer) => encodeProtobuf(parse(json), { drop: true });
  return {
    ...view,
    id: `protobuf/${view.id}`,
    media: "protobuf",
    single: (item) => encode(view.single(item)),
    entry: (item) => Buffer.from(encodeItem(parse(view.entry(item)))),
    bookmark: (metadata) => encode(view.bookmark(metadata)),
  };
}
