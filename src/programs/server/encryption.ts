// Wires encryption at rest: which keys of the store are encrypted, by Kubernetes' configuration file.

import { systemFiles } from "../../base/host/files.system.ts";
import type { Log } from "../../base/program/log.ts";
import { parseKey } from "../../control/apiserver/apiserver.ts";
import type { Store } from "../../control/store/store.ts";
import {
  type EncryptedStore,
  type EncryptionRule,
  encryptedStore,
  parseEncryption,
} from "../../control/store/store.ts";

/**
 * Wraps the store with the keys of the file. Without a file nothing is encrypted, and values that are
 * encrypted already are refused rather than misread.
 */
export async function withEncryption(
  store: Store,
  file: string | undefined,
): Promise<EncryptedStore> {
  const rules = file === undefined ? [] : parseEncryption(await read(file), file);
  return encryptedStore(store, (key) => ruleFor(rules, key)?.providers ?? []);
}

/** Rewrites values that were written with other keys, or unencrypted, with the first key. */
export async function rewriteStale(
  store: EncryptedStore,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  const count = await store.rewrite("/", signal);
  if (count > 0) log.info("encrypted what was stored with other keys or none", { values: count });
}

async function read(file: string): Promise<string> {
  const text = await systemFiles.read(file);
  if (text !== undefined) return text;
  throw new Error(`Cannot read the encryption configuration ${file}: there is none`);
}

function ruleFor(rules: readonly EncryptionRule[], key: string): EncryptionRule | undefined {
  const resource = resourceOf(key);
  if (resource === undefined) return undefined;
  return rules.find(({ resources }) => resources.some((wanted) => covers(wanted, resource)));
}

interface Resource {
  readonly group: string;
  readonly plural: string;
}

/**
 * Maps a store key to its resource. The root's key and the key of the service accounts count as Secrets of
 * the cluster itself.
 */
function resourceOf(key: string): Resource | undefined {
  if (key.startsWith("/cluster/")) return { group: "", plural: "secrets" };
  const [group = "", plural = ""] = parseKey(key)?.collection.split("/") ?? [];
  return plural === "" ? undefined : { group: group === "core" ? "" : group, plural };
}

function covers(wanted: string, { group, plural }: Resource): boolean {
  const dot = wanted.indexOf(".");
  const name = dot < 0 ? wanted : wanted.slice(0, dot);
  const ofGroup = dot < 0 ? "" : wanted.slice(dot + 1);
  return (name === "*" || name === plural) && (ofGroup === "*" || ofGroup === group);
}
