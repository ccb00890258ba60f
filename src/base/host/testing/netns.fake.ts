import { type NetworkNamespaces, namespaceExists } from "./netns.ts";
import { checkNamespaceName } from "./netns-name.ts";

/** Network namespaces that are only names. */
export class FakeNetworkNamespaces implements NetworkNamespaces {
  readonly names = new Set<string>();

  path(name: string): string {
    checkNamespaceName(name);
    return `/run/netns/${name}`;
  }

  async create(name: string): Promise<string> {
    const path = this.path(name);
    if (this.names.has(name)) throw namespaceExists(path);
    this.names.add(name);
    return path;
  }

  async delete(name: string): Promise<void> {
    this.path(name);
    this.names.delete(name);
  }

  async exists(name: string): Promise<boolean> {
    this.path(name);
    return this.names.has(name);
  }

  async list(prefix = ""): Promise<readonly string[]> {
    return [...this.names].filter((name) => name.startsWith(prefix)).toSorted();
  }
}
