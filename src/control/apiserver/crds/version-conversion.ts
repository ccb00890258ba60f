// Conversion of custom resources between versions: by renaming the version, or by a webhook.
//
// Planning and views are plain functions, which cannot wait for a webhook. They ask for a conversion as if it
// were there; where it is not, they are given up with `NeedsConversion`, the webhook is asked, and they start
// over. What a webhook answered is remembered by the content of the object.
import { createHash } from "node:crypto";
import type { ApiObject } from "../../../api/kinds/kind.ts";
import type {
  CustomResourceDefinition,
  WebhookConversion,
} from "../../../api/types/apiextensions.ts";
import type { PostWebhook } from "../streaming/webhook-client.ts";
import { convertByWebhook } from "./conversion-review.ts";

export class NeedsConversion extends Error {
  readonly #conversion: VersionConversion;
  readonly #wanted: Wanted;

  constructor(conversion: VersionConversion, wanted: Wanted) {
    super(`Cannot go on: an object is needed in version ${wanted.apiVersion}`);
    this.#conversion = conversion;
    this.#wanted = wanted;
  }

  async fetch(post: PostWebhook): Promise<void> {
    const { object, apiVersion } = this.#wanted;
    await this.#conversion.fetch(post, [object], apiVersion);
  }
}

interface Wanted {
  readonly object: ApiObject;
  readonly apiVersion: string;
}

/** The rounds after which work that asks for ever more conversions is given up. */
const mostRounds = 50;

/** Does work that may need conversions; it starts over whenever one had to be waited for. */
export async function withConversions<Result>(
  post: PostWebhook,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  for (let round = 0; ; round++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof NeedsConversion) || round === mostRounds) throw error;
      await error.fetch(post);
    }
  }
}

/** The converted objects that are remembered. */
const mostRemembered = 4096;
/** The objects in one question to a webhook. */
const objectsAtOnce = 500;

export class VersionConversion {
  readonly #kind: string;
  readonly #webhook: WebhookConversion | undefined;
  readonly #known = new Map<string, ApiObject>();

  constructor({ spec }: CustomResourceDefinition) {
    this.#kind = spec.names.kind;
    this.#webhook = spec.conversion?.strategy === "Webhook" ? spec.conversion.webhook : undefined;
  }

  /** Returns an object in another version; throws `NeedsConversion` when a webhook must be asked first. */
  convert(object: ApiObject, apiVersion: string): ApiObject {
    if (object.apiVersion === apiVersion) return object;
    if (this.#webhook === undefined) return { ...object, apiVersion };
    const known = this.#known.get(idOf(object, apiVersion));
    if (known === undefined) throw new NeedsConversion(this, { object, apiVersion });
    return withMetadataOf(object, structuredClone(known));
  }

  isKnown(object: ApiObject, apiVersion: string): boolean {
    const isSame = this.#webhook === undefined || object.apiVersion === apiVersion;
    return isSame || this.#known.has(idOf(object, apiVersion));
  }

  /** Asks the webhook about objects, and remembers its answers. */
  async fetch(post: PostWebhook, objects: readonly ApiObject[], apiVersion: string): Promise<void> {
    const webhook = this.#webhook;
    if (webhook === undefined) return;
    for (let start = 0; start < objects.length; start += objectsAtOnce) {
      const some = objects.slice(start, start + objectsAtOnce);
      const converted = await convertByWebhook(post, webhook, {
        kind: this.#kind,
        objects: some,
        apiVersion,
      });
      for (const [index, object] of some.entries()) {
        this.#remember(idOf(object, apiVersion), converted[index] as ApiObject);
      }
    }
  }

  #remember(id: string, converted: ApiObject): void {
    this.#known.delete(id);
    this.#known.set(id, converted);
    if (this.#known.size <= mostRemembered) return;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
  }
}

/** Returns the id of a conversion: of the metadata, only labels and annotations may be converted. */
function idOf(object: ApiObject, apiVersion: string): string {
  const { metadata, ...rest } = object;
  const { labels, annotations } = metadata ?? {};
  const text = JSON.stringify([rest, labels, annotations, apiVersion]);
  return createHash("sha1").update(text).digest("base64");
}

function withMetadataOf(object: ApiObject, converted: ApiObject): ApiObject {
  const { labels: _, annotations: __, ...metadata } = object.metadata ?? {};
  const { labels, annotations } = converted.metadata ?? {};
  return {
    ...converted,
    metadata: {
      ...structuredClone(metadata),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
  };
}
