// Edits a kubeconfig file in place, leaving everything else in it as it is, comments included.

import { dirname } from "node:path";
import { type Document, isMap, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from "yaml";
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

/** Removes a cluster, with its contexts and the users that only they have. */
export async function removeFromKubeconfigFile(
  files: Files,
  path: string,
  cluster: string,
): Promise<void> {
  if ((await files.read(path)) === undefined) return;
  await change(files, path, (document) => {
    const contexts = entriesOf(document, "contexts");
    const gone = contexts.filter((entry) => entry.getIn(["context", "cluster"]) === cluster);
    const kept = contexts.filter((entry) => !gone.includes(entry));
    const users = new Set(gone.map((entry) => entry.getIn(["context", "user"])));
    for (const entry of kept) users.delete(entry.getIn(["context", "user"]));
    drop(document, "contexts", (entry) => gone.includes(entry));
    drop(document, "clusters", (entry) => entry.get("name") === cluster);
    drop(document, "users", (entry) => users.has(entry.get("name")));
    const current = document.get("current-context");
    if (gone.some((entry) => entry.get("name") === current)) document.set("current-context", "");
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

function drop(document: Document, list: string, isGone: (entry: YAMLMap) => boolean): void {
  const sequence = document.get(list);
  if (!isSeq(sequence)) return;
  const items = sequence.items as YAMLSeq<YAMLMap>["items"];
  sequence.items = items.filter((entry) => !isMap(entry) || !isGone(entry));
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
