import { Address } from "../../../base/net/address.ts";
import type { EndpointSlice } from "../../types/discovery.ts";
import type { Kind } from "../kind.ts";
import { ageColumn, nameColumn, shortList, table, text } from "../table.ts";
import { validateEndpointSlice } from "./validate.ts";

export const endpointSlice: Kind<EndpointSlice> = {
  hasGeneration: true,
  default({ addressType, endpoints, ports }) {
    for (const port of ports ?? []) {
      port.name ??= "";
    }
    for (const endpoint of endpoints ?? []) {
      endpoint.conditions ??= {};
      if (addressType === "FQDN") continue;
      endpoint.addresses = (endpoint.addresses ?? []).map(
        (address) => Address.tryParse(address)?.toString() ?? address,
      );
    }
  },
  validate: validateEndpointSlice,
  table: table<EndpointSlice>([
    nameColumn,
    text("AddressType", ({ addressType }) => addressType),
    text("Ports", ({ ports }) =>
      shortList(
        (ports ?? []).map(({ port, name }) => `${port ?? name ?? "*"}`),
        "<unset>",
      ),
    ),
    text("Endpoints", ({ endpoints }) =>
      shortList(
        (endpoints ?? []).flatMap(({ addresses }) => addresses ?? []),
        "<unset>",
      ),
    ),
    ageColumn,
  ]),
};
