// Reads the frontends of a service from nftables maps, which src/node/proxy/nftables/elements.ts fills.

import type { Nft } from "../../../base/host/nft.ts";
import type { Family } from "../../../base/net/family.ts";
import { isCarriedByOutsiders } from "../nftables/carried.ts";
import { tableNames } from "../nftables/table-names.ts";
import { endpointText } from "../plan/frontend.ts";
import { places } from "../table/words.ts";
import type { ReadPlaces } from "./kernel-place.ts";
import { keyText, type Question, TableReader, type Target } from "./read-table.ts";

export function nftablesReader(nft: Nft, family: Family): ReadPlaces {
  return async (service) => {
    const found = await Promise.all(
      tableNames.flatMap((table) =>
        places.map((place) =>
          new TableReader(nft, { family, table, place }).read(service, targets),
        ),
      ),
    );
    return found.flat();
  };
}

async function targets(reader: TableReader): Promise<(question: Question) => Target> {
  const all = await reader.map(`${reader.scope.place}-endpoints`);
  return ({ key: place, verdict, isForOutsiders }) => {
    const own = all.filter(
      ({ key }) =>
        keyText(key.slice(0, -1)) === keyText(place) &&
        isCarriedByOutsiders(key.at(-1) ?? "") === isForOutsiders,
    );
    const seconds = /-stick-(\d+)/.exec(verdict)?.[1];
    return {
      endpoints: own
        .map(({ value: [address = "", port = ""] = [] }) =>
          endpointText({ address, port: Number(port) }),
        )
        .toSorted(),
      affinitySeconds: seconds === undefined ? undefined : Number(seconds),
    };
  };
}
