import { isAlreadyExists, isConflict, isNotFound } from "../../../../api/client/errors.ts";
import { Prefix } from "../../../../base/net/prefix.ts";
import type { SlicesRead } from "../optimistic/optimistic.ts";
import type { Slice, SliceTable } from "../port.ts";
import type { Api, Named } from "./api.ts";
import { apiVersion, type IpPool, path, poolsPath } from "./pool-object.ts";

/**
 * The object in which whereabouts divides a range among nodes; an allocation without a node is a free
 * slice.
 */
interface NodeSlicePool extends Named {
  readonly spec: { readonly range: string; readonly sliceSize: string };
  readonly status?: { readonly allocations?: readonly SliceAllocation[] | null };
}

interface SliceAllocation {
  readonly nodeName: string;
  readonly sliceRange: string;
}

/**
 * The NodeSlicePool objects, which divide ranges among nodes. Only slices of nodes are written, no free
 * ones.
 */
export class NodeSlices {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  async read(table: SliceTable): Promise<SlicesRead> {
    const object = await this.#api.get<NodeSlicePool>(this.#path(table.name));
    const allocations = object?.status?.allocations ?? [];
    return {
      slices: allocations.filter(isHeld).map(toSlice),
      add: async ({ node, prefix }) => {
        const own = { nodeName: node, sliceRange: prefix.toString() };
        const others = allocations.filter(({ sliceRange }) => sliceRange !== own.sliceRange);
        const current = object ?? (await this.#create(table));
        return current !== undefined && this.#store(current, [...others, own]);
      },
    };
  }

  async releaseGone(): Promise<Slice[]> {
    const objects = await this.#api.list<NodeSlicePool>(this.#path());
    if (objects.length === 0) return [];
    const nodes = await this.#api.list<Named>("/api/v1/nodes");
    const living = new Set(nodes.map(({ metadata }) => metadata.name));
    const used = await this.#usedRanges();
    const released: Slice[] = [];
    for (const object of objects) {
      const allocations = object.status?.allocations ?? [];
      const isLeft = (one: SliceAllocation) =>
        isHeld(one) && !living.has(one.nodeName) && !used.has(one.sliceRange);
      const left = allocations.filter(isLeft);
      if (left.length === 0) continue;
      const kept = allocations.filter((one) => !isLeft(one));
      if (await this.#store(object, kept)) released.push(...left.map(toSlice));
    }
    return released;
  }

  /** Returns the ranges of pools that have allocations. */
  async #usedRanges(): Promise<ReadonlySet<string>> {
    const pools = await this.#api.list<IpPool>(poolsPath(this.#api.namespace));
    const used = pools.filter(({ spec }) => Object.keys(spec.allocations ?? {}).length > 0);
    return new Set(used.map(({ spec }) => Prefix.parse(spec.range).toString()));
  }

  /** Creates the object of a table; undefined when another writer was faster. */
  async #create({ name, range, length }: SliceTable): Promise<NodeSlicePool | undefined> {
    try {
      return await this.#api.create<NodeSlicePool>(this.#path(), {
        apiVersion,
        kind: "NodeSlicePool",
        metadata: { name },
        spec: { range: range.toString(), sliceSize: `/${length}` },
        status: { allocations: [] },
      });
    } catch (error) {
      if (isAlreadyExists(error)) return undefined;
      throw error;
    }
  }

  /**
   * Writes the allocations; false when another writer was faster. Some servers have the status as a
   * subresource.
   */
  async #store(object: NodeSlicePool, allocations: readonly SliceAllocation[]): Promise<boolean> {
    const { name, resourceVersion } = object.metadata;
    const patch = { metadata: { resourceVersion }, status: { allocations } };
    try {
      await this.#api.patch(`${this.#path(name)}/status`, patch).catch(async (error: unknown) => {
        if (!isNotFound(error)) throw error;
        await this.#api.patch(this.#path(name), patch);
      });
      return true;
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return false;
      throw error;
    }
  }

  #path(name?: string): string {
    return path(this.#api.namespace, "nodeslicepools", name);
  }
}

function isHeld({ nodeName }: SliceAllocation): boolean {
  return nodeName !== "";
}

function toSlice({ nodeName: node, sliceRange }: SliceAllocation): Slice {
  return { node, prefix: Prefix.parse(sliceRange) };
}
