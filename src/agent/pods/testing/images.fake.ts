import { ImageError } from "../../runtime/error.ts";
import type { ImageRecord, ImageRoot, ImageRoots, Images } from "../../runtime/port.ts";

/** Has every image but those it was told to miss. */
export class FakeImages implements Images, ImageRoots {
  readonly missing = new Set<string>();
  user = "";

  async ensure(name: string): Promise<ImageRecord> {
    if (!this.missing.has(name)) return { name, id: `sha256:${name}`, bytes: 1, isBuiltIn: false };
    throw new ImageError(`Cannot pull ${name}: there is none`, { reason: "not-had" });
  }

  async list(): Promise<readonly ImageRecord[]> {
    return [];
  }

  async rootOf(): Promise<ImageRoot> {
    const config = {
      entrypoint: ["/entry"],
      command: [],
      environment: {},
      user: this.user,
      workingDirectory: "/",
    };
    return { directory: "/", overlays: [], config, mounts: [], hidden: [] };
  }
}
