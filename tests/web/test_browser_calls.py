"""In a real browser: how somebody wants to be called, what the browser then shows, and the site as an
app that does not get in the way."""

import json
import time

import pytest

from support.browsers import PATIENCE, barriers
from support.receivers import PushService, receiving
from support.servers import serving

pytestmark = pytest.mark.browser

# What a browser's own push service would give, which cannot be asked here.
SUBSCRIBE = """(fields) => {
  const plain = (text) => atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const getKey = (name) => Uint8Array.from(plain(fields[name]), (sign) => sign.charCodeAt(0)).buffer;
  const subscription = { endpoint: fields.endpoint, getKey, unsubscribe: async () => true };
  const isKept = () => localStorage.getItem("subscribed");
  PushManager.prototype.subscribe = async (options) => {
    if (!options.userVisibleOnly || options.applicationServerKey.length !== 87) throw new Error("no key");
    localStorage.setItem("subscribed", "yes");
    return subscription;
  };
  PushManager.prototype.getSubscription = async () => (isKept() ? subscription : null);
}"""
READY = "navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller !== null)"


@pytest.fixture(scope="module")
def calling_site(browser, tmp_path_factory):
    with serving(tmp_path_factory.mktemp("calls"), "--call-private-addresses") as site:
        yield site


def test_somebody_has_their_browser_called(visit, calling_site):
    with receiving() as receiver:
        service = PushService(receiver)
        anna = visit("phone", address=calling_site.address, timezone_id="Europe/Tallinn")
        anna.context.grant_permissions(["notifications"])
        anna.context.add_init_script(f"({SUBSCRIBE})({json.dumps(service.fields)})")
        anna.go("/me/calls")
        anna.press(anna.page.get_by_role("button", name="Call me here"))
        anna.page.get_by_text("This browser is called already.").wait_for()
        assert anna.page.get_by_text("this one").is_visible()
        assert anna.page.locator("select[name=zone]").input_value() == "Europe/Tallinn"
        anna.press(anna.page.get_by_role("button", name="Try it"))
        anna.page.get_by_text("A message is on its way").wait_for()
        [message] = service.messages
        assert message["text"] == "This is how you will be called when it is your turn."
        assert anna.runs_over() <= 0
        assert barriers(anna.page) == []


def test_who_does_not_allow_messages_is_told_how_to(visit, calling_site):
    anna = visit(address=calling_site.address)
    anna.context.add_init_script("Notification.requestPermission = async () => 'denied'")
    anna.go("/me/calls")
    anna.press(anna.page.get_by_role("button", name="Call me here"))
    anna.page.get_by_text("was told not to show messages").wait_for()


@pytest.mark.parametrize("manner", ["keyboard", "scriptless"])
def test_an_address_is_entered_and_removed(visit, calling_site, manner):
    with receiving() as receiver:
        anna = visit(manner, address=calling_site.address)
        anna.go("/me/calls")
        if manner == "scriptless":
            assert anna.page.get_by_text("This browser cannot be called.").is_visible()
        anna.fill('form[action$="/calls/web"] [name=target]', receiver.address)
        anna.press(anna.page.get_by_role("button", name="Call me there"))
        anna.page.get_by_text(receiver.address).wait_for()
        anna.press(anna.page.get_by_role("button", name="Remove"))
        anna.page.get_by_text("Nowhere yet.").wait_for()
        anna.press(anna.page.locator(".calls-when button.primary"))
        anna.page.get_by_text("It is kept.").wait_for()


def test_the_worker_shows_a_message_and_leads_to_the_table(visit, calling_site):
    """What it asks the system to show, which has no screen here."""
    anna = visit(address=calling_site.address)
    anna.go("/me/calls")
    anna.wait_for(READY)
    [worker] = anna.context.service_workers
    worker.evaluate("""() => {
      self.shown = [];
      self.registration.showNotification = async (title, options) => void self.shown.push([title, options]);
      self.clients.openWindow = async (address) => void self.shown.push(address);
    }""")
    data = {"title": "Babuschka: it is your turn", "text": "With Boris.", "address": "/table/abc", "topic": "t"}
    deliver(anna, calling_site, data)
    [[title, options]] = until(anna, lambda: worker.evaluate("self.shown"))
    assert title == data["title"]
    assert (options["body"], options["tag"], options["data"]) == ("With Boris.", "t", {"address": "/table/abc"})
    assert anna.page.request.get(options["icon"]).ok
    worker.evaluate(
        """(data) => {
      const click = new Event("notificationclick");
      click.waitUntil = (promise) => promise;
      click.notification = { close() {}, data };
      self.dispatchEvent(click);
    }""",
        options["data"],
    )
    until(anna, lambda: worker.evaluate("self.shown.length") == 2)
    assert worker.evaluate("self.shown[1]") == f"{calling_site.address}/table/abc"


def deliver(guest, site, data):
    """As the browser's push service does."""
    session = guest.context.new_cdp_session(guest.page)
    registrations = []
    session.on("ServiceWorker.workerRegistrationUpdated", lambda told: registrations.extend(told["registrations"]))
    session.send("ServiceWorker.enable")
    number = until(guest, lambda: registrations)[0]["registrationId"]
    facts = {"origin": site.address, "registrationId": number, "data": json.dumps(data)}
    session.send("ServiceWorker.deliverPushMessage", facts)


def until(guest, holds):
    end = time.monotonic() + PATIENCE
    while not (seen := holds()):
        assert time.monotonic() < end
        guest.page.wait_for_timeout(20)
    return seen


HIDE = """(hidden) => {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


@pytest.mark.parametrize("has_shared_workers", [True, False])
def test_a_phone_in_a_pocket_does_not_count_as_looking(visit, calling_site, has_shared_workers):
    """Or nobody who has just put it away would ever be called; when it is looked at again, it knows all."""
    anna = visit("phone", address=calling_site.address)
    if not has_shared_workers:
        anna.context.add_init_script("delete window.SharedWorker")
    boris = visit(address=calling_site.address)
    boris.sit(anna.open_table("babuschka", 2, first=1))
    boris.go("/")

    def streams(count):
        figures = anna.page.request.get("/metrics").text()
        return f"samovar_streams {count}\n" in figures

    until(anna, lambda: streams(1))
    anna.page.evaluate(HIDE, True)
    until(anna, lambda: streams(0))
    boris.page.go_back()
    boris.move()
    boris.go("/")
    anna.page.evaluate(HIDE, False)
    until(anna, lambda: streams(1))
    anna.until(lambda seen: seen["turn"], "Anna sees what Boris did")


def test_with_the_app_installed_a_match_goes_on_as_ever(visit, calling_site):
    """The worker leaves moves and streams alone; without a network it says what is missing."""
    anna, boris = visit(address=calling_site.address), visit(address=calling_site.address)
    for guest in (anna, boris):
        guest.go("/")
        guest.wait_for(READY)
    boris.sit(anna.open_table("babuschka", 2, first=0))
    loads = anna.loads, boris.loads
    for guest in (anna, boris, anna):
        guest.move()
    boris.until(lambda seen: seen["turn"], "Boris sees what Anna did")
    assert (anna.loads, boris.loads) == loads
    assert anna.page.evaluate("!!navigator.serviceWorker.controller")
    anna.context.set_offline(True)
    anna.go("/")
    anna.page.get_by_text("No connection").wait_for()
    assert barriers(anna.page) == []
    anna.context.set_offline(False)
    anna.press(anna.page.get_by_text("Try again"))
    anna.page.get_by_text("Sit down. The samovar is hot.").wait_for()
    anna.complaints = [complaint for complaint in anna.complaints if "net::ERR_" not in complaint]
