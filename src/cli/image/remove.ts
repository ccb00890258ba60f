import { defineCommand } from "../../base/command-line/command.ts";
import { listOf, text } from "../../base/program/option-types.ts";
import { storeOptions } from "./options.ts";

export const command = defineCommand({
  description: "Remove images. One that a container runs on stays.",
  examples: [{ does: "Remove an image", command: "tandem image remove nginx:1.27" }],
  options: storeOptions,
  args: {
    images: { type: listOf(text("IMAGE")), required: true, help: "The names of images." },
  },
  async run({ options, args, env, stdout }) {
    const { withImages } = await import("./store.ts");
    return await withImages(options, env, async (images) => {
      for (const name of args.images) {
        await images.remove(name);
        stdout.write(`image/${name} removed\n`);
      }
    });
  },
});
