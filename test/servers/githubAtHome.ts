/**
 * Loaded before the public GitHub server (`node --import`), whose API has a fixed address: what it fetches from there comes from
 * `GITHUB_API_AT_HOME` instead.
 */
const home = process.env['GITHUB_API_AT_HOME'];
if (home === undefined) throw new Error('GITHUB_API_AT_HOME is not set.');
const fetchAnywhere = globalThis.fetch;
globalThis.fetch = (input, init) => {
  const address = String(input);
  if (!address.startsWith('https://api.github.com/')) throw new Error(`Nothing else is fetched in a test: ${address}`);
  return fetchAnywhere(address.replace('https://api.github.com', home), init);
};
