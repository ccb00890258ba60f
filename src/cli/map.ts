import { defineCommand } from "../base/command-line/command.ts";
import { integer, oneOf, text } from "../base/program/option-types.ts";
import { kubeconfigOptions } from "../programs/connect/connect.ts";

const formats = ["svg", "dot"] as const;

export const command = defineCommand({
  description:
    "Draw the ways from outside by load balancers, node ports and ingresses to services and their pods, " +
    "with a lamp for each family, as SVG or for Graphviz.",
  examples: [
    { does: "Draw all services", command: "tandem map > cluster.svg" },
    {
      does: "Draw one service with each of its pods, by Graphviz",
      command: "tandem map --service web --namespace shop --output dot | dot -Tpng > web.png",
    },
  ],
  options: {
    ...kubeconfigOptions,
    namespace: {
      type: text("NAME"),
      short: "n",
      env: false,
      help: "The namespace to draw; all if neither this nor --service is given.",
    },
    service: {
      type: text("NAME"),
      env: false,
      help: "The one service to draw, with each of its pods.",
    },
    most: {
      type: integer({ min: 1, max: 10_000, placeholder: "COUNT" }),
      default: 200,
      env: false,
      help: "The most services, or pods of one service, to draw.",
    },
    output: {
      type: oneOf(formats, "FORMAT"),
      short: "o",
      default: "svg",
      env: false,
      key: false,
      help: `Output format: ${formats.join(" or ")}.`,
    },
  },
  async run({ options, env, stdout, stderr, signal }) {
    const { drawMap } = await import("../programs/dashboard/dashboard.ts");
    const { picture, notes } = await drawMap(options, { env, signal });
    for (const note of notes) stderr.write(`${note}\n`);
    stdout.write(picture);
  },
});
