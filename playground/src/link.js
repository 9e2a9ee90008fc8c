// A spec in the address of the page, deflated, in the alphabet of addresses; and the lesson of the tour, by name.

async function through(data, stream) {
  return new Uint8Array(await new Response(new Blob([data]).stream().pipeThrough(stream)).arrayBuffer());
}

export async function linked(text, lesson = null) {
  const packed = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  const letters = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join(""));
  const spec = `spec=${letters.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
  return `#${lesson === null ? "" : `lesson=${lesson}&`}${spec}`;
}

/** The lesson and the spec of an address, each null where it holds none that can be read. */
export async function taken(hash) {
  const fields = new URLSearchParams(hash.slice(1)), spec = fields.get("spec");
  return { lesson: fields.get("lesson"), text: spec === null ? null : await inflated(spec) };
}

async function inflated(spec) {
  try {
    const letters = atob(spec.replaceAll("-", "+").replaceAll("_", "/"));
    const packed = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    return new TextDecoder().decode(await through(packed, new DecompressionStream("deflate-raw")));
  } catch {
    return null;
  }
}
