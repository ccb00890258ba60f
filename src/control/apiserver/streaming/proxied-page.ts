// Links of proxied pages: what points to the root of the proxied server points to its path here.

/** The attributes that hold links, by tag. */
const linkAttributes: Readonly<Record<string, readonly string[]>> = {
  a: ["href"],
  applet: ["codebase"],
  area: ["href"],
  audio: ["src"],
  base: ["href"],
  blockquote: ["cite"],
  body: ["background"],
  button: ["formaction"],
  command: ["icon"],
  del: ["cite"],
  embed: ["src"],
  form: ["action"],
  frame: ["longdesc", "src"],
  head: ["profile"],
  html: ["manifest"],
  iframe: ["longdesc", "src"],
  img: ["longdesc", "src", "usemap"],
  input: ["src", "usemap", "formaction"],
  ins: ["cite"],
  link: ["href"],
  object: ["classid", "codebase", "data", "usemap"],
  q: ["cite"],
  script: ["src"],
  source: ["src"],
  video: ["poster", "src"],
};

/** Rewrites the links of a page in one pass; a tag without an end leaves the rest as it is. */
export function rewritePage(page: string, prefix: string): string {
  const parts: string[] = [];
  let at = 0;
  for (let open = page.indexOf("<"); open >= 0; open = page.indexOf("<", at)) {
    const end = tagEnd(page, open);
    if (end < 0) break;
    parts.push(page.slice(at, open), rewriteTag(page.slice(open, end), prefix));
    at = end;
  }
  return parts.join("") + page.slice(at);
}

/** Returns a link that goes through the proxy, if it points to the root of the proxied server. */
export function rewriteLink(link: string, prefix: string, hosts: readonly string[] = []): string {
  const [, host, path = ""] = /^(?:https?:)?\/\/([^/?#]*)(.*)$/is.exec(link) ?? [];
  if (host !== undefined && !hosts.includes(host)) return link;
  const local = host === undefined ? link : path || "/";
  if (!local.startsWith("/") || local.startsWith(prefix)) return local;
  return prefix + local;
}

/** Returns the index behind the tag that opens at `start`; negative when it does not end. */
function tagEnd(page: string, start: number): number {
  let quote = "";
  for (let at = start + 1; at < page.length; at++) {
    const character = page[at] as string;
    if (quote !== "") quote = character === quote ? "" : quote;
    else if (character === ">") return at + 1;
    else if ((character === '"' || character === "'") && page[at - 1] === "=") quote = character;
  }
  return -1;
}

function rewriteTag(tag: string, prefix: string): string {
  const name = /^<([a-zA-Z]+)/.exec(tag)?.[1]?.toLowerCase() ?? "";
  const attributes = Object.hasOwn(linkAttributes, name) ? linkAttributes[name] : undefined;
  if (attributes === undefined) return tag;
  return tag.replaceAll(
    /(\s)([a-zA-Z]+)=(?:"([^"]*)"|'([^']*)')/g,
    (whole: string, space: string, key: string, double?: string, single?: string) => {
      const value = double ?? single ?? "";
      if (!attributes.includes(key.toLowerCase())) return whole;
      return `${space}${key}="${rewriteLink(value, prefix).replaceAll('"', "&#34;")}"`;
    },
  );
}
