// Reads the frontends of a service from virtual services, which src/node/proxy/ipvs/elements.ts makes.

import type { Nft, NftElement } from "../../../base/host/nft.ts";
import type { Family } from "../../../base/net/family.ts";
import { nodeServices } from "../ipvs/elements.ts";
import type { IpvsAdmin } from "../ipvs/ipvs-admin.ts";
import { tableName } from "../ipvs/layout.ts";
import { addressKey, markKey, readServices, type VirtualService } from "../ipvs/virtual-service.ts";
import { protocols } from "../plan/frontend.ts";
import { places } from "../table/words.ts";
import type { ReadPlaces } from "./kernel-place.ts";
import { keyText, type Question, TableReader, type Target } from "./read-table.ts";

interface Tools {
  readonly nft: Nft;
  readonly admin: IpvsAdmin;
}

export function ipvsReader({ nft, admin }: Tools, family: Family): ReadPlaces {
  const targets = async (reader: TableReader): Promise<(question: Question) => Target> => {
    const { place } = reader.scope;
    const services = readServices(await admin.save());
    const [marks, outside, atNode] = await Promise.all([
      reader.map(`${place}-marks`),
      reader.map(`${place}-marks-outside`),
      reader.set(nodeServices),
    ]);
    return ({ key, verdict, isForOutsiders }) => {
      if (verdict === "accept") return targetOf(services.get(keyByAddress(key, atNode)));
      const marked = isForOutsiders ? outside : marks;
      const mark = marked.find((one) => keyText(one.key) === keyText(key))?.value?.[0];
      return targetOf(services.get(markKey(Number(mark), family)));
    };
  };
  return async (service) => {
    const found = await Promise.all(
      places.map((place) =>
        new TableReader(nft, { family, table: tableName, place }).read(service, targets),
      ),
    );
    return found.flat();
  };
}

/**
 * Returns the key of the virtual service by address. A node port has the same at each address of the
 * node, so the first on record will do.
 */
function keyByAddress(place: readonly string[], atNode: readonly NftElement[]): string {
  const [port, name, own] = place.toReversed();
  const recorded = atNode.find(({ key }) => key[1] === name && key[2] === port);
  const address = own ?? recorded?.key[0] ?? "";
  const protocol = protocols.find((one) => one === name) ?? "tcp";
  return addressKey({ address, port: Number(port) }, protocol);
}

/** Returns the endpoints of a virtual service, without the draining servers, which have weight 0. */
function targetOf(service: VirtualService | undefined): Target {
  const servers = [...(service?.servers ?? [])].filter(([, weight]) => weight > 0);
  const seconds = /(?:^| )-p (\d+)/.exec(service?.settings ?? "")?.[1];
  return {
    endpoints: servers.map(([server]) => server).toSorted(),
    affinitySeconds: seconds === undefined ? undefined : Number(seconds),
  };
}
