import { Address } from "../../../base/net/address.ts";
import type { HostPort } from "../../../base/program/network-option-types.ts";

/** The name servers that a resolv.conf names; others lines and zones are no use here. */
export function nameServersOf(resolvConf: string): HostPort[] {
  return resolvConf.split("\n").flatMap((line) => {
    const [keyword, text = ""] = line.trim().split(/\s+/);
    const address = keyword === "nameserver" ? Address.tryParse(text) : undefined;
    return address === undefined ? [] : [{ host: address.toString(), port: 53 }];
  });
}
