import { join } from "node:path";
import type { Files } from "../../../base/host/files.ts";
import { defined } from "../../../base/json/defined.ts";
import type { Attachment, AttachmentKey } from "./attachment.ts";
import { type NetworkConfiguration, parseNetwork } from "./configuration.ts";
import { CniError } from "./error.ts";
import { Fields } from "./fields.ts";
import type { Json } from "./json.ts";

/** A recorded attachment: all that is needed to check and delete it, even after a restart. */
export interface CacheEntry {
  readonly network: NetworkConfiguration;
  readonly attachment: Attachment;
  /** The result of the last plugin; absent while ADD is under way, or if it was never finished. */
  readonly result?: Json;
}

/** The records of attachments: one file for each, so that each is written and removed as a whole. */
export class AttachmentCache {
  readonly #files: Files;
  readonly #directory: string;
  #ready: Promise<void> | undefined;

  constructor(files: Files, directory: string) {
    this.#files = files;
    this.#directory = directory;
  }

  async write(entry: CacheEntry): Promise<void> {
    await this.#prepare();
    const { preferredAddresses: _, ...attachment } = entry.attachment;
    const { result } = entry;
    const text = JSON.stringify({ configuration: entry.network.source, attachment, result });
    await this.#files.write(this.#path(entry), text, { mode: 0o600 });
  }

  async remove(entry: CacheEntry): Promise<void> {
    await this.#files.remove(this.#path(entry));
  }

  async find(key: AttachmentKey): Promise<CacheEntry | undefined> {
    return (await this.#read(`${nameOf(key.container, key.interface)},`))[0];
  }

  async list(container?: string): Promise<readonly CacheEntry[]> {
    return this.#read(container === undefined ? "" : `${nameOf(container)},`);
  }

  /** Reads all records of a container; damaged and outdated ones are returned as refused. */
  async readAll(
    container: string,
  ): Promise<{ readonly entries: readonly CacheEntry[]; readonly refused: readonly Refused[] }> {
    const entries: CacheEntry[] = [];
    const refused: Refused[] = [];
    for (const file of await this.#names(`${nameOf(container)},`)) {
      try {
        const entry = await this.#readFile(file);
        if (entry !== undefined) entries.push(entry);
      } catch (error) {
        if (!(error instanceof CniError)) throw error;
        refused.push({ file, error });
      }
    }
    return { entries, refused };
  }

  async removeFile(file: string): Promise<void> {
    await this.#files.remove(join(this.#directory, file));
  }

  /** Lists the containers of all records, readable or not. */
  async containers(): Promise<readonly string[]> {
    const names = await this.#names("");
    return [...new Set(names.map((name) => decodeURIComponent(name.replace(/,.*/s, ""))))];
  }

  async #read(beginning: string): Promise<readonly CacheEntry[]> {
    const names = await this.#names(beginning);
    const entries = await Promise.all(names.map((name) => this.#readFile(name)));
    return entries.filter((entry) => entry !== undefined);
  }

  async #names(beginning: string): Promise<readonly string[]> {
    await this.#prepare();
    return (await this.#files.list(this.#directory)).filter(
      (name) => name.startsWith(beginning) && name.endsWith(ending) && !name.startsWith("."),
    );
  }

  async #readFile(name: string): Promise<CacheEntry | undefined> {
    const where = join(this.#directory, name);
    const text = await this.#files.read(where);
    return text === undefined ? undefined : parseEntry(text, where);
  }

  #path({ network, attachment }: CacheEntry): string {
    const { container, interface: link } = attachment;
    return join(this.#directory, `${nameOf(container, link, network.name)}${ending}`);
  }

  #prepare(): Promise<void> {
    this.#ready ??= this.#makeDirectory().catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  async #makeDirectory(): Promise<void> {
    await this.#files.makePrivateDirectory(this.#directory);
    await this.#files.removeUnfinishedWrites(this.#directory);
  }
}

/** A file without a valid record, and the reason. */
interface Refused {
  readonly file: string;
  readonly error: CniError;
}

const ending = ".json";

/** Returns a file name; encoded parts contain no comma, so that it can separate them. */
function nameOf(...parts: readonly string[]): string {
  return parts.map(encodeURIComponent).join(",");
}

function parseEntry(text: string, where: string): CacheEntry {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    const state = (cause as Error).message;
    throw new CniError("decoding", `Cannot read ${where}: ${state}`, { cause });
  }
  const fields = new Fields(json, where);
  const attachment = fields.requiredObject("attachment");
  const result = fields.object("result");
  return {
    attachment: {
      ...(attachment.json as Partial<Attachment>),
      container: attachment.requiredText("container"),
      interface: attachment.requiredText("interface"),
      namespace: attachment.requiredText("namespace"),
    },
    network: parseNetwork(fields.requiredObject("configuration").json, { where }),
    ...defined({ result: result?.json }),
  };
}
