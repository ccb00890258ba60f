// Parties of a trace, sender and receiver, as people name them.

import { Address } from "../../base/net/address.ts";

export type PartyKind = "pod" | "service" | "node";

export type PartyName =
  | { readonly kind: "address"; readonly address: Address }
  | { readonly kind: "outside" }
  | {
      readonly kind: "object";
      /** The kinds that the name may mean: all of them if the user gave none. */
      readonly kinds: readonly PartyKind[];
      readonly namespace: string | undefined;
      readonly name: string;
    };

export interface Target {
  readonly party: PartyName;
  /** The port's number or name. */
  readonly port: string | undefined;
}

/** Parses `TARGET`, `TARGET:PORT`, or `[IPv6 address]:PORT`. */
export function parseTarget(text: string): Target {
  const [, bracketed, bracketedPort] = /^\[([^\]]+)\](?::(\w[\w-]*))?$/.exec(text) ?? [];
  if (bracketed !== undefined) {
    const address = Address.parse(bracketed);
    return { party: { kind: "address", address }, port: bracketedPort };
  }
  const address = Address.tryParse(text);
  if (address !== undefined) return { party: { kind: "address", address }, port: undefined };
  const [, name = "", port] = /^([^:]*)(?::(\w[\w-]*))?$/.exec(text) ?? [];
  return { party: parseParty(name, text), port };
}

/**
 * Parses an address, `outside`, or `[KIND/][NAMESPACE/]NAME`: `shop/web-0`, `pod/web-0`, `service/shop/web`,
 * `node/node-1`.
 */
export function parseParty(name: string, text: string = name): PartyName {
  if (name === "outside") return { kind: "outside" };
  const address = Address.tryParse(name);
  if (address !== undefined) return { kind: "address", address };
  const words = name.split("/");
  const said = kindWords[words[0] ?? ""];
  if (said !== undefined && words.length > 1) words.shift();
  if (words.length === 0 || words.length > 2 || words.some((word) => !/^[\w.-]+$/.test(word))) {
    throw new Error(
      `Cannot use "${text}": expected an address, "outside", or [KIND/][NAMESPACE/]NAME`,
    );
  }
  const [last = "", namespace] = words.toReversed();
  const kinds: readonly PartyKind[] =
    said !== undefined
      ? [said]
      : namespace === undefined
        ? ["pod", "service", "node"]
        : ["pod", "service"];
  return { kind: "object", kinds, namespace, name: last };
}

const kindWords: Readonly<Record<string, PartyKind | undefined>> = {
  pod: "pod",
  pods: "pod",
  po: "pod",
  service: "service",
  services: "service",
  svc: "service",
  node: "node",
  nodes: "node",
  no: "node",
};
