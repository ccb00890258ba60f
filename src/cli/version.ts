import { defineCommand } from "../base/command-line/command.ts";
import { formatDocument, outputOption } from "../base/program/output.ts";
import { version } from "../base/program/version.ts";

export const command = defineCommand({
  description: "Print the version of Tandem and of the runtime it uses.",
  examples: [
    { does: "Print the version", command: "tandem version" },
    { does: "Print it for a program to read", command: "tandem version --output json" },
  ],
  options: outputOption(["text", "json", "yaml"]),
  async run({ options, stdout }) {
    const about = {
      version,
      node: process.versions.node,
      platform: `${process.platform}/${process.arch}`,
    };
    const text = `Tandem ${about.version} (Node ${about.node}, ${about.platform})\n`;
    stdout.write(options.output === "text" ? text : await formatDocument(about, options.output));
  },
});
