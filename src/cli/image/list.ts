import { defineCommand } from "../../base/command-line/command.ts";
import { formatListing, outputOption } from "../../base/program/output.ts";
import type { ImageRecord } from "../../node/runtime/runtime.ts";
import { storeOptions } from "./options.ts";

export const command = defineCommand({
  description: "List the images that pods can use without pulling them.",
  examples: [
    { does: "List the images of the cluster on this machine", command: "tandem image list" },
  ],
  options: { ...storeOptions, ...outputOption(["table", "wide", "json", "yaml", "name"]) },
  async run({ options, env, stdout }) {
    const { withImages } = await import("./store.ts");
    return await withImages(options, env, async (images) => {
      const rows = await images.list();
      const listing = { rows, columns, name: ({ name }: ImageRecord) => `image/${name}` };
      stdout.write(await formatListing(listing, options.output));
    });
  },
});

const columns = [
  { header: "Image", value: ({ name }: ImageRecord) => name },
  { header: "ID", value: ({ id }: ImageRecord) => id.replace("sha256:", "").slice(0, 12) },
  { header: "Size", value: ({ bytes }: ImageRecord) => `${(bytes / 1e6).toFixed(1)} MB` },
];
