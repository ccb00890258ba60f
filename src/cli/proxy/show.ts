import { defineCommand } from "../../base/command-line/command.ts";
import { systemCommands } from "../../base/host/command.system.ts";
import { text } from "../../base/program/option-types.ts";
import { formatListing, outputOption } from "../../base/program/output.ts";
import type { Column } from "../../base/program/table.ts";
import type { Lead } from "../../node/proxy/proxy.ts";
import { type ShownPlace, showService } from "../../node/proxy/proxy.ts";

export const command = defineCommand({
  description: `Show what a service became on this node: every place it is reached at and where each leads, read from the kernel's rules, whatever the API server says.

Clients "inside" are pods and this node itself, where others are led elsewhere.`,
  examples: [
    { does: "Show a service", command: "tandem proxy show web" },
    { does: "Show one of another namespace", command: "tandem proxy show kube-system/kube-dns" },
    { does: "Show it to another program", command: "tandem proxy show web -n shop -o json" },
  ],
  options: {
    namespace: {
      type: text("NAMESPACE"),
      short: "n",
      default: "default",
      env: false,
      help: "The namespace of the service, where its name says none.",
    },
    ...outputOption(["table", "json", "yaml"]),
  },
  args: {
    service: { type: text("SERVICE"), required: true, help: "NAME or NAMESPACE/NAME." },
  },
  async run({ options, args, stdout, stderr }) {
    const { service } = args;
    const key = service.includes("/") ? service : `${options.namespace}/${service}`;
    const places = await showService(key, systemCommands());
    const rows = places.flatMap((place) => place.leads.map((lead) => ({ place, lead })));
    if (places.length === 0 && options.output === "table") {
      stderr.write(`Service ${key} has no rules on this node.\n`);
      return 1;
    }
    const listing = { rows, columns, name: () => key, document: { service: key, places } };
    stdout.write(await formatListing(listing, options.output));
    return places.length === 0 ? 1 : 0;
  },
});

interface Row {
  readonly place: ShownPlace;
  readonly lead: Lead;
}

const columns: readonly Column<Row>[] = [
  { header: "family", value: ({ place }) => place.family },
  { header: "reached at", value: ({ place }) => placeText(place) },
  { header: "port", value: ({ place }) => place.owner.split(":")[1] },
  { header: "clients", value: ({ lead }) => lead.clients },
  { header: "leads to", value: ({ lead }) => leadText(lead) },
  {
    header: "affinity",
    value: ({ place: { affinitySeconds } }) =>
      affinitySeconds === undefined ? undefined : `${affinitySeconds}s`,
  },
  {
    header: "allowed from",
    value: ({ place }) => place.allowedSources?.join(",") ?? "everywhere",
  },
  { header: "mode", value: ({ place }) => place.mode },
];

function placeText({ address, port, protocol }: ShownPlace): string {
  if (address === undefined) return `node:${port}/${protocol}`;
  return `${address.includes(":") ? `[${address}]` : address}:${port}/${protocol}`;
}

function leadText({ verdict, endpoints }: Lead): string {
  if (verdict === "translate") return endpoints.join(",");
  return verdict === "refuse" ? "refused" : "dropped";
}
