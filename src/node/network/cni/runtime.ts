import type { CallOptions, Commands } from "../../../base/host/command.ts";
import type { Files } from "../../../base/host/files.ts";
import type { Attached } from "./attached.ts";
import { type Attachment, type AttachmentKey, checkKey } from "./attachment.ts";
import { AttachmentCache, type CacheEntry } from "./cache.ts";
import { Chain } from "./chain.ts";
import type { NetworkConfiguration } from "./configuration.ts";
import { CniError, isMissingPlugin, isTimedOut, isTryLater, throwCollected } from "./error.ts";
import { askStatus, collectGarbage } from "./garbage.ts";
import { type PluginPath, Plugins } from "./plugins.ts";
import { parseResult } from "./result.ts";
import { Turns } from "./turns.ts";
import { isAtLeast } from "./versions.ts";

export interface CniRuntimeOptions {
  /** Run the plugins: in the namespace of the node. */
  readonly commands: Commands;
  readonly files: Files;
  readonly path: PluginPath;
  /** Where attachments are remembered. Belongs to one runtime at a time. */
  readonly directory: string;
  /** For each plugin call; a minute when not given. */
  readonly timeoutMs?: number;
}

export interface DeleteOptions extends CallOptions {
  /** The network to delete from when nothing is remembered of the attachment. */
  readonly lost?: { readonly network: NetworkConfiguration; readonly namespace: string };
}

/** Attaches containers to networks by CNI plugins. */
export class CniRuntime {
  readonly #plugins: Plugins;
  readonly #cache: AttachmentCache;
  readonly #turns = new Turns();

  constructor({ commands, files, path, directory, timeoutMs = 60_000 }: CniRuntimeOptions) {
    this.#plugins = new Plugins({ commands, path, timeoutMs });
    this.#cache = new AttachmentCache(files, directory);
  }

  /** What a failed or unfinished attempt left is deleted first; an interface that is there is an error. */
  async add(
    network: NetworkConfiguration,
    attachment: Attachment,
    { signal }: CallOptions = {},
  ): Promise<Attached> {
    checkKey(attachment);
    return this.#turns.on(attachment.container, async () => {
      signal?.throwIfAborted();
      await this.#makeRoom(attachment, signal);
      const wish = withPreferred(network, attachment);
      if (wish === undefined) return this.#add({ network, attachment }, signal);
      try {
        return await this.#add({ network, attachment: wish }, signal);
      } catch (error) {
        signal?.throwIfAborted();
        const isNoMatterOfAddresses =
          isTryLater(error) || isMissingPlugin(error) || isTimedOut(error);
        if (!(error instanceof CniError) || isNoMatterOfAddresses) throw error;
        return this.#add({ network, attachment }, signal);
      }
    });
  }

  /** With the configuration of the time of ADD. Nothing to delete is no error. */
  async delete(key: AttachmentKey, { signal, lost }: DeleteOptions = {}): Promise<void> {
    checkKey(key);
    await this.#turns.on(key.container, async () => {
      signal?.throwIfAborted();
      const entry =
        (await this.#cache.find(key)) ??
        (lost && { network: lost.network, attachment: { ...key, namespace: lost.namespace } });
      if (entry !== undefined) await this.#delete(entry, signal);
    });
  }

  /**
   * All interfaces of a container, the last one first, as far as plugins can: returns what they could not
   * undo. That is forgotten, unless it may be undone later. What is left in the container's namespace goes
   * with it.
   */
  async deleteAll(container: string, { signal }: CallOptions = {}): Promise<readonly unknown[]> {
    return this.#turns.on(container, async () => {
      signal?.throwIfAborted();
      const { entries, refused } = await this.#cache.readAll(container);
      const errors: unknown[] = refused.map(({ error }) => error);
      for (const { file } of refused) await this.#cache.removeFile(file);
      for (const entry of entries.toReversed()) {
        try {
          await this.#delete(entry, signal);
        } catch (error) {
          signal?.throwIfAborted();
          errors.push(error);
          if (!isTryLater(error) && !isTimedOut(error)) await this.#cache.remove(entry);
        }
      }
      return errors;
    });
  }

  /** False when the network cannot be checked: it forbids it, or is older than CHECK. */
  async check(key: AttachmentKey, { signal }: CallOptions = {}): Promise<boolean> {
    return this.#turns.on(key.container, async () => {
      signal?.throwIfAborted();
      const entry = await this.#cache.find(key);
      if (entry?.result === undefined) {
        const message = `Cannot CHECK ${key.interface} of ${key.container}: it is not attached`;
        throw new CniError("unknown-container", message);
      }
      if (entry.network.disableCheck) return false;
      const chain = await Chain.open(this.#plugins, entry);
      if (!isAtLeast(chain.version, "0.4.0")) return false;
      await chain.check(entry.result, signal);
      return true;
    });
  }

  /** Fails when the network cannot take containers now: `isNotAvailable`, `isMissingPlugin`. */
  async status(network: NetworkConfiguration, { signal }: CallOptions = {}): Promise<void> {
    await askStatus(this.#plugins, { network, signal });
  }

  /**
   * Frees what the network holds for attachments that are not valid any more, while nothing else
   * happens. Valid attachments to other networks may be listed, too.
   */
  async collect(
    network: NetworkConfiguration,
    valid: readonly AttachmentKey[],
    { signal }: CallOptions = {},
  ): Promise<void> {
    const isValid = ({ attachment }: CacheEntry) => valid.some((key) => isSame(key, attachment));
    await this.#turns.alone(async () => {
      signal?.throwIfAborted();
      const known = (await this.#cache.list()).filter(
        (entry) => entry.network.name === network.name,
      );
      const errors: unknown[] = [];
      for (const entry of known.filter((one) => !isValid(one))) {
        await this.#delete(entry, signal).catch((error: unknown) => errors.push(error));
        signal?.throwIfAborted();
      }
      if (!network.disableGC) {
        errors.push(...(await collectGarbage(this.#plugins, { network, valid, signal })));
      }
      throwCollected(`collect what is left in network ${network.name}`, errors);
    });
  }

  /** What is attached, by interface, be it since before a restart. */
  async attached(container?: string): Promise<readonly Attached[]> {
    const entries = await this.#cache.list(container);
    return entries.flatMap((entry) =>
      entry.result === undefined ? [] : [describe(entry, entry.result)],
    );
  }

  /** Those of which anything is remembered, be it only that an ADD was begun. */
  async containers(): Promise<readonly string[]> {
    return this.#cache.containers();
  }

  async #add(entry: CacheEntry, signal: AbortSignal | undefined): Promise<Attached> {
    const chain = await Chain.open(this.#plugins, entry);
    // Written before anything is done, so that it can be undone after a crash.
    await this.#cache.write(entry);
    let done: CacheEntry = entry;
    try {
      const result = await chain.add((soFar) => (done = { ...entry, result: soFar }), signal);
      const attached = describe(entry, result);
      await this.#cache.write({ ...entry, result });
      return attached;
    } catch (error) {
      const errors = await chain.delete(done.result);
      // What could not be undone stays on record, for the next DEL, which then says why. Here it would
      // hide why ADD failed, which is what has to be mended.
      if (errors.length === 0) await this.#cache.remove(entry);
      throw error;
    }
  }

  async #makeRoom(attachment: Attachment, signal: AbortSignal | undefined): Promise<void> {
    const entry = await this.#cache.find(attachment);
    if (entry === undefined) return;
    if (entry.result === undefined) return this.#delete(entry, signal);
    const { interface: link, container } = attachment;
    const state = `it is attached to ${entry.network.name}`;
    throw new CniError("already-attached", `Cannot add ${link} to ${container}: ${state}`);
  }

  async #delete(entry: CacheEntry, signal: AbortSignal | undefined): Promise<void> {
    const { interface: link, container } = entry.attachment;
    const chain = await Chain.open(this.#plugins, entry, "delete");
    throwCollected(`delete ${link} of ${container}`, await chain.delete(entry.result, signal));
    await this.#cache.remove(entry);
  }
}

function isSame(one: AttachmentKey, other: AttachmentKey): boolean {
  return one.container === other.container && one.interface === other.interface;
}

/** Nothing when there is no wish, or nobody who would hear it. */
function withPreferred(
  network: NetworkConfiguration,
  attachment: Attachment,
): Attachment | undefined {
  const { preferredAddresses = [], capabilities } = attachment;
  const isHeard = network.plugins.some((plugin) => plugin.capabilities.includes("ips"));
  if (preferredAddresses.length === 0 || !isHeard || capabilities?.ips !== undefined)
    return undefined;
  const ips = preferredAddresses.map(String);
  return { ...attachment, capabilities: { ...capabilities, ips } };
}

function describe(
  { network, attachment }: CacheEntry,
  result: NonNullable<CacheEntry["result"]>,
): Attached {
  const { container, namespace, label = network.name, isDefault = false } = attachment;
  const serviceController = attachment.serviceController ?? network.serviceController ?? "";
  return {
    container,
    interface: attachment.interface,
    namespace,
    network: label,
    isDefault,
    ...(serviceController !== "" && { serviceController }),
    result: parseResult(result, network.plugins.at(-1)?.type ?? network.name),
  };
}
