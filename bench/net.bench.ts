import ipaddr from "ipaddr.js";
import { Address } from "../src/base/net/address.ts";
import { type Family, families } from "../src/base/net/family.ts";
import { Prefix } from "../src/base/net/prefix.ts";
import { AddressTree, lowestFree, RangeSet } from "../src/base/net/range-set.ts";
import { type Benchmark, type Group, rate } from "./harness.ts";

const networks: Record<Family, Prefix> = {
  IPv4: Prefix.parse("10.0.0.0/8"),
  IPv6: Prefix.parse("fd00:10:20:30::/64"),
};

export default {
  title: "addresses, prefixes and the search for a free one",
  groups: () => [
    ...families.flatMap((family) => [parsing(family), formatting(family)]),
    lowestFreeOf100000(),
    ...[1_000, 10_000, 100_000].map(allocator),
    building(100_000),
  ],
} satisfies Benchmark;

function parsing(family: Family): Group {
  const texts = scattered(family).map(String);
  return {
    name: `parse ${family} address`,
    baseline: "ipaddr.js",
    cases: {
      tandem: () => rate(texts, Address.parse),
      "ipaddr.js": () => rate(texts, (text) => ipaddr.parse(text)),
    },
  };
}

function formatting(family: Family): Group {
  const addresses = scattered(family);
  const theirs = addresses.map((address) => ipaddr.parse(address.toString()));
  return {
    name: `format ${family} address`,
    baseline: "ipaddr.js",
    cases: {
      tandem: () => rate(addresses, (address) => address.toString()),
      "ipaddr.js": () => rate(theirs, (address) => address.toString()),
    },
  };
}

/** 100,000 taken and 1,000 excluded; the answer lies behind all of them, whatever their layout. */
function lowestFreeOf100000(): Group {
  const within = networks.IPv6;
  const search = (isExcluded: (n: number) => boolean) => () => {
    const numbers = Array.from({ length: 101_000 }, (_, n) => n);
    const at = (n: number) => within.at(BigInt(n));
    const taken = new AddressTree(numbers.filter((n) => !isExcluded(n)).map(at));
    const excluded = RangeSet.of(numbers.filter(isExcluded).map(at));
    return rate([within], () => lowestFree(within, taken, excluded));
  };
  return {
    name: "lowest free in a /64, 100,000 taken, 1,000 excluded",
    cases: {
      "excluded in one piece": search((n) => n < 1_000),
      "excluded one by one": search((n) => n % 101 === 100),
    },
  };
}

function allocator(count: number): Group {
  const within = networks.IPv6;
  const layout = (step: bigint) => () => {
    const taken = Array.from({ length: count }, (_, n) => within.at(BigInt(n) * step));
    return { taken, tree: new AddressTree(taken) };
  };
  const dense = layout(1n);
  const sparse = layout(2n);
  return {
    name: `allocator with ${count.toLocaleString("en")} taken`,
    cases: {
      "lowest free, dense": () => {
        const { tree } = dense();
        return rate([within], () => tree.lowestFree(within));
      },
      "lowest free, every other": () => {
        const { tree } = sparse();
        return rate([within], () => tree.lowestFree(within));
      },
      "allocate and release": () => {
        const { tree } = sparse();
        return rate([within], () => {
          const address = tree.lowestFree(within) ?? within.first;
          return tree.add(address) && tree.delete(address);
        });
      },
      "release and take again": () => {
        const { taken, tree } = sparse();
        return rate(shuffled(taken), (address) => tree.delete(address) && tree.add(address));
      },
    },
  };
}

function building(count: number): Group {
  const ordered = Array.from({ length: count }, (_, n) => networks.IPv6.at(BigInt(n) * 2n));
  return {
    name: `build a set of ${count.toLocaleString("en")}`,
    cases: {
      ordered: () => rate([ordered], RangeSet.of),
      shuffled: () => rate([shuffled(ordered)], RangeSet.of),
    },
  };
}

/** Addresses with few and with many zeros. */
function scattered(family: Family): Address[] {
  const network = networks[family];
  return Array.from({ length: 1_000 }, (_, n) => {
    const far = (BigInt(n) * 0x9e3779b97f4a7c15n) % network.size;
    return network.at(n % 2 === 0 ? BigInt(n) : far);
  });
}

/** Always in the same disorder. */
function shuffled<T>(list: readonly T[]): T[] {
  const keyed = list.map((item, index) => ({ item, key: (index * 7919) % 1_000_003 }));
  return keyed.toSorted((a, b) => a.key - b.key).map(({ item }) => item);
}
