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
  /** Runs the plugins in the network namespace of the node. */
  readonly commands: Commands;
  readonly files: Files;
  readonly path: PluginPath;
  /** The directory with the records of attachments, which belongs to one runtime at a time. */
  readonly directory: string;
  /** The time limit of each plugin call; a minute if not given. */
  readonly timeoutMs?: number;
}

export interface DeleteOptions extends CallOptions {
  /** The network to delete from if there is no record of the attachment. */
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

  /**
   * Attaches a container. Leftovers of a failed or unfinished attempt are deleted first; an existing
   * interface is an error.
   */
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

  /** Detaches an interface, with the configuration at the time of ADD. A missing attachment is no error. */
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
   * Detaches all interfaces of a container, the last one first, as far as plugins can; returns the errors.
   * Failed attachments are forgotten, unless they may be deleted later: the rest goes with the container's
   * namespace.
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

  /**
   * Checks an attachment; `false` if the network cannot be checked, since it forbids it or is older than
   * CHECK.
   */
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

  /** Rejects if the network cannot take containers now: `isNotAvailable`, `isMissingPlugin`. */
  async status(network: NetworkConfiguration, { signal }: CallOptions = {}): Promise<void> {
    await askStatus(this.#plugins, { network, signal });
  }

  /**
   * Frees what the network holds for attachments that are no longer valid, while no other call runs. They are
   * listed then: an attachment that was made while this call waited would be missing from an earlier list.
   * Valid attachments to other networks may be listed, too.
   */
  async collect(
    network: NetworkConfiguration,
    listValid: () => Promise<readonly AttachmentKey[]>,
    { signal }: CallOptions = {},
  ): Promise<void> {
    await this.#turns.alone(async () => {
      signal?.throwIfAborted();
      const valid = await listValid();
      const isValid = ({ attachment }: CacheEntry) => valid.some((key) => isSame(key, attachment));
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

  /** Lists the attached interfaces, including those from before a restart. */
  async attached(container?: string): Promise<readonly Attached[]> {
    const entries = await this.#cache.list(container);
    return entries.flatMap((entry) =>
      entry.result === undefined ? [] : [describe(entry, entry.result)],
    );
  }

  /** Lists the containers with any record, even if only of an ADD that was begun. */
  async containers(): Promise<readonly string[]> {
    return this.#cache.containers();
  }

  async #add(entry: CacheEntry, signal: AbortSignal | undefined): Promise<Attached> {
    const chain = await Chain.open(this.#plugins, entry);
    // The record is written before anything is done, so that it can be undone after a crash.
    await this.#cache.write(entry);
    let done: CacheEntry = entry;
    try {
      const result = await chain.add((soFar) => (done = { ...entry, result: soFar }), signal);
      const attached = describe(entry, result);
      await this.#cache.write({ ...entry, result });
      return attached;
    } catch (error) {
      const errors = await chain.delete(done.result);
      // A record stays if something could not be undone: the next DEL then reports why. Reported here, it
      // would hide why ADD failed, which is what has to be repaired.
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

/**
 * Returns the attachment with its preferred addresses; `undefined` if there are none, or no plugin accepts
 * them.
 */
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
