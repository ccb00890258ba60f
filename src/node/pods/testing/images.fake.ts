import type { CallOptions } from "../../../base/host/command.ts";
import type { ImageRecord, ImageRoot, ImageRoots, Images, PullPolicy } from "../../runtime/port.ts";
import { ImageError } from "../../runtime/runtime.ts";

/** An image store that has every image but those in `missing`. */
export class FakeImages implements Images, ImageRoots {
  readonly missing = new Set<string>();
  user = "";

  /** The images whose pull never ends. */
  readonly slow = new Set<string>();

  async ensure(name: string, _: PullPolicy, { signal }: CallOptions = {}): Promise<ImageRecord> {
    if (this.slow.has(name)) {
      await new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason as Error));
      });
    }
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
    return { directory: "/", config, mounts: [], hidden: [] };
  }
}
