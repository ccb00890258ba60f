import { type Document, parseAllDocuments } from "yaml";
import { isParseError, ParseError } from "./error.ts";
import type { ParseOptions } from "./options.ts";
import { parseJson } from "./parse-json.ts";
import { decodeText } from "./text.ts";
import { YamlReader } from "./yaml-reader.ts";

/**
 * Parses the single document of a YAML 1.2 body (core schema), under the same rules as `parseJson`. Most YAML
 * bodies are JSON, which is tried first. Aliases may not inflate the value.
 */
export function parseYaml(body: string | Uint8Array, options: ParseOptions = {}): unknown {
  const text = decodeText(body, options);
  if (text.startsWith("{")) {
    try {
      return parseJson(text, options);
    } catch (error) {
      if (!isParseError(error) || error.reason !== "InvalidSyntax") throw error;
    }
  }
  if (text.length > maxYamlBytes) {
    const state = `${text.length} bytes of YAML, the limit is ${maxYamlBytes}`;
    throw new ParseError("TooLarge", `Cannot parse the body: ${state}`);
  }
  const document = parseDocument(text);
  return new YamlReader(text, options).read(document.contents);
}

/** The size limit for YAML, which takes a hundred times as long as JSON; clients of Kubernetes send JSON. */
const maxYamlBytes = 2 * 1024 * 1024;

function parseDocument(text: string): Document.Parsed {
  const documents = parseAllDocuments(text, {
    version: "1.2",
    schema: "core",
    uniqueKeys: false,
    intAsBigInt: true,
    prettyErrors: false,
    logLevel: "error",
  });
  const [document, second] = Array.isArray(documents) ? documents : [];
  if (document === undefined) {
    throw new ParseError("InvalidSyntax", "Cannot parse the body: it is empty", { position: 0 });
  }
  if (second !== undefined) {
    throw new ParseError("SeveralDocuments", "Cannot parse the body: it has several documents", {
      position: second.range[0],
    });
  }
  const [error] = document.errors;
  if (error?.code === "RESOURCE_EXHAUSTION") {
    throw new ParseError("TooDeep", "Cannot parse the body: it is nested too deeply", {
      position: error.pos[0],
    });
  }
  if (error !== undefined) {
    const line = text.slice(0, error.pos[0]).split("\n").length;
    throw new ParseError(
      "InvalidSyntax",
      `Cannot parse the body: no valid YAML at line ${line} (${error.code})`,
      { position: error.pos[0], cause: error },
    );
  }
  return document;
}
