// The image store of a node.
import { chmod, mkdir, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ImageError } from "../error.ts";
import { systemIdentity } from "../machine/identity.system.ts";
import type {
  ImageConfig,
  ImageRecord,
  ImageRoot,
  ImageStore,
  ImagesOptions,
  LoadOptions,
  PullOptions,
  PullPolicy,
} from "../port.ts";
import { imagesIn } from "./archive.ts";
import { type BuiltIn, builtInImages } from "./built-in.system.ts";
import { Flights } from "./flights.ts";
import { authFileText, loginsFor, type RegistryLogin } from "./logins.ts";
import { isLoopback, parseImageName } from "./name.ts";
import { type Reference, References } from "./references.system.ts";
import {
  archiveLink,
  fetchImage,
  inspectSource,
  type Transfer,
  treeName,
  type Unpacking,
  withAuthFile,
} from "./transfer.system.ts";
import { userOf } from "./users.system.ts";

export async function openImages(options: ImagesOptions): Promise<ImageStore> {
  const { directory, commands } = options;
  const place = (name: string): string => join(resolve(directory), name);
  for (const name of ["trees", "references", "built-in", "unfinished"]) {
    await mkdir(place(name), { recursive: true, mode: 0o700 });
    // Setuid programs of images must not be reachable for users of the machine.
    await chmod(place(name), 0o700);
  }
  const identity = await systemIdentity();
  const { isRootless } = identity;
  return new DiskImages({
    references: new References(place("references")),
    builtIn: builtInImages(options.builtIn ?? {}, {
      directory: place("built-in"),
      isRootless,
      commands,
    }),
    // Files get the owners that the image says where there are several user ids, and one owner where not.
    unpacking: {
      trees: place("trees"),
      workshop: place("unfinished"),
      isRootless: isRootless && !identity.hasUser(1),
      commands,
    },
  });
}

interface Parts {
  readonly references: References;
  readonly builtIn: BuiltIn;
  readonly unpacking: Unpacking;
}

class DiskImages implements ImageStore {
  readonly #references: References;
  readonly #builtIn: BuiltIn;
  readonly #unpacking: Unpacking;
  readonly #pulls = new Flights<ImageRecord>();
  readonly #configs = new Map<string, ImageConfig>();

  constructor({ references, builtIn, unpacking }: Parts) {
    this.#references = references;
    this.#builtIn = builtIn;
    this.#unpacking = unpacking;
  }

  async ensure(name: string, policy: PullPolicy, options: PullOptions = {}): Promise<ImageRecord> {
    const builtIn = this.#builtIn.find(name);
    if (builtIn !== undefined) return builtIn;
    const { reference, registry } = parseImageName(name);
    const found = await this.#references.get(reference);
    if (found !== undefined && policy !== "Always") return { ...recordOf(found), name };
    if (policy === "Never") {
      throw new ImageError(`Cannot use image "${name}": it is not present, and policy is Never`, {
        reason: "never-pulled",
      });
    }
    const transfer = { source: `docker://${reference}`, name, isInsecure: isLoopback(registry) };
    const pull = async (own: Transfer): Promise<ImageRecord> => {
      const version = await inspectSource(own, this.#unpacking);
      if (found?.version === version) return recordOf(found);
      return await this.#take(own, { reference, version });
    };
    const logins = loginsFor(reference, options.logins ?? []);
    // The logins are part of the key, so that a pull with a login is not shared with callers that lack it.
    const key = [reference, ...logins.map(({ user, password }) => `${user}:${password}`)].join(" ");
    const fly = (signal: AbortSignal) =>
      this.#withLogins(logins, reference, (authFile) => pull({ ...transfer, ...authFile, signal }));
    return { ...(await this.#pulls.join(key, fly, options)), name };
  }

  /** Tries the logins in order; the last one's error is thrown when none works. */
  async #withLogins<T>(
    logins: readonly RegistryLogin[],
    reference: string,
    pull: (options: Pick<Transfer, "authFile">) => Promise<T>,
  ): Promise<T> {
    const [login, ...others] = logins;
    if (login === undefined) return await pull({});
    try {
      const text = authFileText(reference, login);
      return await withAuthFile(text, this.#unpacking, (authFile) => pull({ authFile }));
    } catch (error) {
      if (others.length === 0 || !(error instanceof ImageError)) throw error;
      return await this.#withLogins(others, reference, pull);
    }
  }

  async list(): Promise<readonly ImageRecord[]> {
    return [...this.#builtIn.list(), ...(await this.#references.list()).map(recordOf)];
  }

  async load(archive: string, options: LoadOptions = {}): Promise<readonly ImageRecord[]> {
    const { name, signal } = options;
    const images = await imagesIn(archive, this.#unpacking.commands);
    if (name !== undefined && images.length !== 1) {
      throw new ImageError(
        `Cannot load ${archive} as "${name}": it holds ${images.length} images`,
        { reason: "not-had" },
      );
    }
    const loaded: ImageRecord[] = [];
    for (const image of images) {
      const given = name ?? image.name;
      if (given === undefined) {
        throw new ImageError(`Cannot load ${archive}: an image in it has no name; give it one`, {
          reason: "invalid-name",
        });
      }
      const { reference } = parseImageName(given);
      const selector = image.selector === "" ? "" : `:${image.selector}`;
      const source = `${image.kind}:${archiveLink}${selector}`;
      const transfer = { source, archive: resolve(archive), name: given, signal };
      loaded.push(await this.#take(transfer, { reference, version: "" }));
    }
    return loaded;
  }

  async remove(name: string): Promise<void> {
    const { reference } = parseImageName(name);
    const found = await this.#references.get(reference);
    if (found === undefined) {
      throw new ImageError(`Cannot remove image "${name}": there is none`, { reason: "not-had" });
    }
    const others = (await this.#references.list()).filter(
      (other) => other.id === found.id && other.reference !== reference,
    );
    const tree = this.#tree(found.id);
    const user = others.length > 0 ? undefined : await userOf(join(tree, "rootfs"));
    if (user !== undefined) {
      throw new ImageError(`Cannot remove image "${name}": process ${user} runs on it`, {
        reason: "in-use",
      });
    }
    await this.#references.delete(reference);
    if (others.length === 0) await rm(tree, { recursive: true, force: true });
  }

  async rootOf(id: string): Promise<ImageRoot> {
    const builtIn = this.#builtIn.rootOf(id);
    if (builtIn !== undefined) return await builtIn;
    const config = this.#configs.get(id) ?? (await readConfig(join(this.#tree(id), "config.json")));
    this.#configs.set(id, config);
    const directory = join(this.#tree(id), "rootfs");
    return { directory, mounts: [], hidden: [], config };
  }

  async #take(
    transfer: Transfer,
    { reference, version }: Pick<Reference, "reference" | "version">,
  ): Promise<ImageRecord> {
    const { id, bytes } = await fetchImage(transfer, this.#unpacking);
    const entry = { reference, version, id, bytes };
    await this.#references.set(entry);
    return recordOf(entry);
  }

  #tree(id: string): string {
    return join(this.#unpacking.trees, treeName(id));
  }
}

function recordOf({ reference, id, bytes }: Reference): ImageRecord {
  return { name: reference, id, bytes, isBuiltIn: false };
}

async function readConfig(path: string): Promise<ImageConfig> {
  return JSON.parse(await readFile(path, "utf8")) as ImageConfig;
}
