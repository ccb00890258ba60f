import { defineCommand } from "../../base/command-line/command.ts";
import { filePath, text } from "../../base/program/option-types.ts";
import { storeOptions } from "./options.ts";

export const command = defineCommand({
  description:
    "Load the images of an archive, such as docker save or skopeo write it, so that pods can use them.\n\n" +
    "Pods that use them need an imagePullPolicy other than Always, which is the default for the tag latest.",
  examples: [
    { does: "Load images for the cluster on this machine", command: "tandem image load web.tar" },
    {
      does: "Give an image another name",
      command: "tandem image load web.tar --as example.test/web:2",
    },
  ],
  options: {
    ...storeOptions,
    as: {
      type: text("NAME"),
      env: false,
      key: false,
      help: "The name of the one image in the archive, in place of the one it has there.",
    },
  },
  args: {
    archive: { type: filePath(), required: true, help: "A docker-archive or an OCI archive." },
  },
  async run({ options, args, env, stdout, signal }) {
    const { withImages } = await import("./store.ts");
    return await withImages(options, env, async (images) => {
      const name = options.as === undefined ? {} : { name: options.as };
      for (const image of await images.load(args.archive, { ...name, signal })) {
        stdout.write(`image/${image.name} loaded\n`);
      }
    });
  },
});
