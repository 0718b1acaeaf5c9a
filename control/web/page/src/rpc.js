// SPDX-License-Identifier: BSD-3-Clause
// Calls of the fabric's API, through the server of the page. The token of the address is kept, and taken out of it.

const KEY = "roost-token";
let token = null;
let number = 0;

export function take_token() {
  const address = new URL(location.href);
  const given = address.searchParams.get("token");
  try {
    if (given)
      localStorage.setItem(KEY, given);
    token = given ?? localStorage.getItem(KEY);
  } catch {
    token = given;
  }
  if (given) {
    address.searchParams.delete("token");
    history.replaceState(null, "", address);
  }
}

export const headers = () => token ? { Authorization: `Bearer ${token}` } : {};

/** Returns the result of a method; what the fabric says against it is the message of the error. */
export async function call(method, params) {
  const answer = await fetch("rpc", {
    method: "POST", headers: { "Content-Type": "application/json", ...headers() },
    body: JSON.stringify({ jsonrpc: "2.0", id: ++number, method, ...params ? { params } : {} }),
  });
  let json = null;
  try {
    json = await answer.json();
  } catch {
    throw new Error(`${method}: the server answers ${answer.status} ${answer.statusText}`);
  }
  if (json.error)
    throw new Error(json.error.message ?? String(json.error));
  return json.result;
}
