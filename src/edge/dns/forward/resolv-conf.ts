import { Address } from "../../../base/net/address.ts";
import type { HostPort } from "../../../base/program/network-option-types.ts";

/** The name servers of a resolv.conf; other lines, and addresses with zones, are ignored. */
export function nameServersOf(resolvConf: string): HostPort[] {
  return resolvConf.split("\n").flatMap((line) => {
    const [keyword, text = ""] = line.trim().split(/\s+/);
    const address = keyword === "nameserver" ? Address.tryParse(text) : undefined;
    return address === undefined ? [] : [{ host: address.toString(), port: 53 }];
  });
}
