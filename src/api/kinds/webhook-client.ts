// The client configuration of webhooks, of admission and of conversion.
import type { FieldError } from "../fields/field-error.ts";
import { invalid, required } from "../fields/field-errors.ts";
import type { WebhookClientConfig } from "../types/admissionregistration.ts";

/** Checks how a webhook is reached: by a service or by a URL. */
export function webhookClientErrors(
  { url, service }: WebhookClientConfig,
  path: string,
): FieldError[] {
  if ((url === undefined) === (service === undefined)) {
    return [required(path, "exactly one of url or service is required")];
  }
  if (url === undefined) return [];
  const form = "; desired format: https://host[/path]";
  if (!URL.canParse(url)) return [invalid(`${path}.url`, url, `url must be a valid URL${form}`)];
  const { protocol, username, search, hash } = new URL(url);
  const said = (detail: string) => [invalid(`${path}.url`, url, detail + form)];
  if (protocol !== "https:") return said("'https' is the only allowed URL scheme");
  if (username !== "") return said("user information is not permitted in the URL");
  if (hash !== "") return said("fragments are not permitted in the URL");
  return search === "" ? [] : said("query parameters are not permitted in the URL");
}
