// Edits a kubeconfig file in place, leaving everything else in it as it is, comments included.

import { dirname } from "node:path";
import { type Document, isMap, isSeq, parseDocument, type YAMLMap } from "yaml";
import type { Files } from "../../../base/host/files.ts";
import { messageOf, reasonOf } from "../../../base/program/errors.ts";
import { KubeconfigError } from "./fields.ts";

const parts = [
  ["clusters", "cluster"],
  ["users", "user"],
  ["contexts", "context"],
] as const;

/** Merges the entries of one kubeconfig into another, replacing those of the same names. */
export async function mergeKubeconfigFile(
  files: Files,
  path: string,
  incoming: string,
): Promise<void> {
  await change(files, path, (document) => {
    const added = parse("the kubeconfig to add", incoming);
    for (const [list, inner] of parts) {
      for (const entry of entriesOf(added, list)) put(document, { list, inner, entry });
    }
    const current = added.get("current-context");
    if (typeof current === "string") document.set("current-context", current);
  });
}

async function change(
  files: Files,
  path: string,
  edit: (document: Document) => void,
): Promise<void> {
  const text = await files.read(path);
  const document = parse(path, text?.trim() ? text : "apiVersion: v1\nkind: Config\n");
  edit(document);
  const write = () => files.write(path, document.toString({ lineWidth: 0 }), { mode: 0o600 });
  try {
    await write();
  } catch (error) {
    if (reasonOf(error) !== "ENOENT") throw error;
    await files.makePrivateDirectory(dirname(path));
    await write();
  }
}

function put(
  document: Document,
  { list, inner, entry }: { list: string; inner: string; entry: YAMLMap },
): void {
  const name = entry.get("name");
  const value = entry.get(inner, true);
  const existing = entriesOf(document, list).find((each) => each.get("name") === name);
  if (existing !== undefined) existing.set(inner, value);
  else if (isSeq(document.get(list))) document.addIn([list], entry);
  else document.set(list, document.createNode([entry]));
}

function entriesOf(document: Document, list: string): YAMLMap[] {
  const sequence = document.get(list);
  return isSeq(sequence) ? sequence.items.filter((item) => isMap(item)) : [];
}

function parse(source: string, text: string): Document {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) {
    throw new KubeconfigError(`Cannot use ${source}: ${messageOf(error).trim()}`, { cause: error });
  }
  if (!isMap(document.contents)) {
    throw new KubeconfigError(`Cannot use ${source}: it must hold fields`);
  }
  return document;
}
