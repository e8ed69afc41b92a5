"""The network: addresses, trust, proxies, timeouts, retries. The only room that knows httpx."""
