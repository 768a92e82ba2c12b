import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { onTestFinished } from 'vitest';

/** Made for tests on this machine, valid for localhost and 127.0.0.1 alone; nobody trusts it but who calls {@link serveHttps}. */
const key = `
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgMWgxo8bVhp80Te/g
hnwXwq+ym3Ezco2AT09z6jHnlXqhRANCAASvTE8zGLbXRtsd6SATocVEBdHnDEg9
E1HJ1eyjHmbcr7M7VWNofk8Qc1CDEiXCtcs9AxJiU+V2FiuRvFqX7Fxm
-----END PRIVATE KEY-----
`;
const certificate = `
-----BEGIN CERTIFICATE-----
MIIBnDCCAUGgAwIBAgIURckX1UYm5sd8oP9fjVPE5uF/8RQwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEzMDE0MTEyMVoYDzIxMjYxMTA2
MTQxMTIxWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASvTE8zGLbXRtsd6SATocVEBdHnDEg9E1HJ1eyjHmbcr7M7VWNofk8Q
c1CDEiXCtcs9AxJiU+V2FiuRvFqX7Fxmo28wbTAdBgNVHQ4EFgQUqlX+/W6mO5se
GAHWqMh3QiaWYKQwHwYDVR0jBBgwFoAUqlX+/W6mO5seGAHWqMh3QiaWYKQwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSQAwRgIhAP3fBrtEQVZskw2PJaOj4k3oDkbbhk+e4ANvYdbetz0EAiEA
3lyu339xijxLN0WJuWz1ofJefqZ7X3R4mXFQDm07/W4=
-----END CERTIFICATE-----
`;

/** An HTTPS server of the test's own on localhost, trusted by this process until the test ends. Gives its origin. */
export async function serveHttps(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, certificate]);
  const server = createServer({ key, cert: certificate }, handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    setDefaultCACertificates(before);
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return `https://localhost:${address.port}`;
}
