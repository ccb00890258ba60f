// Renders JSON text in a form for people to read: YAML, or indented.
import { stringify } from "yaml";
import { readJson } from "../../../base/json/read-json.ts";
import type { RenderJob } from "./job.ts";

export function render(json: Uint8Array, form: RenderJob["form"]): Uint8Array<ArrayBuffer> {
  const text = Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString();
  const value = readJson(text);
  const shown = form === "yaml" ? stringify(value) : `${JSON.stringify(value, undefined, 2)}\n`;
  return new TextEncoder().encode(shown);
}
