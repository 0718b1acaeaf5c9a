// SPDX-License-Identifier: BSD-3-Clause
// Finds keys in the JSON Schema of `roost schema`: their help, their default, and what may follow a key.

// What a pattern of keys is called where keys are completed.
const name_of = (pattern) => pattern.includes("swp") ? "swpN" : /^\^\[0-7\]\$$/.test(pattern) ? "N" :
  ["leaf", "super", "spine"].find((role) => pattern.includes(`)?${role}[`))?.concat("N") ?? "NAME";

export class Schema {
  constructor(json) {
    this.defs = json.$defs ?? {};
    this.root = this.defs["fabric-file"] ?? json;
  }

  resolve(node) {
    for (let i = 0; (node?.$ref || node?.anyOf) && i < 8; i++) {
      // Of a section that can also be a word, such as on or off, the section is meant.
      const next = node.$ref ? this.defs[node.$ref.replace("#/$defs/", "")] : node.anyOf.find((one) => one.$ref) ?? node.anyOf[0];
      const { description = next?.description, default: value = next?.default } = node;
      node = { ...next, description, default: value };
    }
    return node ?? null;
  }

  child(node, word) {
    node = this.resolve(node);
    if (!node)
      return null;
    if (node.properties && Object.hasOwn(node.properties, word))
      return node.properties[word];
    for (const [pattern, next] of Object.entries(node.patternProperties ?? {}))
      if (new RegExp(pattern, "u").test(word))
        return next;
    return typeof node.additionalProperties === "object" ? node.additionalProperties : null;
  }

  /** @returns {{help: string, default: *, words: string[]|null, map: boolean}|null} of a key such as switch.qos.tc.3.ecn.min */
  find(key) {
    let node = this.root;
    for (const word of key.split("."))
      node = node && this.child(node, word);
    const found = this.resolve(node);
    return found && { help: found.description ?? "", default: found.default, words: found.enum ?? null,
                      map: !!(found.properties || found.patternProperties) };
  }

  /** Keys that begin as `text` does. */
  complete(text) {
    const at = text.lastIndexOf(".");
    const prefix = text.slice(0, at + 1), rest = text.slice(at + 1);
    let node = this.root;
    for (const word of prefix.split(".").filter(Boolean))
      node = node && this.child(node, word);
    node = this.resolve(node);
    if (!node)
      return [];
    const words = [...Object.keys(node.properties ?? {}), ...Object.keys(node.patternProperties ?? {}).map(name_of)];
    return [...new Set(words)].filter((word) => word.startsWith(rest))
      .slice(0, 40).map((word) => prefix + word);
  }
}
