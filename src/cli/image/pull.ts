import { defineCommand } from "../../base/command-line/command.ts";
import { text } from "../../base/program/option-types.ts";
import { storeOptions } from "./options.ts";

export const command = defineCommand({
  description: "Pull an image from its registry, or a newer one of the same name.",
  examples: [
    { does: "Have an image before pods need it", command: "tandem image pull nginx:1.27" },
  ],
  options: storeOptions,
  args: { image: { type: text("IMAGE"), required: true, help: "The name of an image." } },
  async run({ options, args, env, stdout, signal }) {
    const { withImages } = await import("./store.ts");
    return await withImages(options, env, async (images) => {
      const { id } = await images.ensure(args.image, "Always", { signal });
      stdout.write(`image/${args.image} pulled: ${id}\n`);
    });
  },
});
