// A spec in the address of the page: deflated, in the alphabet of addresses.
const PREFIX = "#spec=";

async function through(data, stream) {
  return new Uint8Array(await new Response(new Blob([data]).stream().pipeThrough(stream)).arrayBuffer());
}

export async function linked(text) {
  const packed = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  const letters = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join(""));
  return PREFIX + letters.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The spec of an address, or null where it holds none that can be read. */
export async function taken(hash) {
  if (!hash.startsWith(PREFIX)) return null;
  try {
    const letters = atob(hash.slice(PREFIX.length).replaceAll("-", "+").replaceAll("_", "/"));
    const packed = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    return new TextDecoder().decode(await through(packed, new DecompressionStream("deflate-raw")));
  } catch {
    return null;
  }
}
