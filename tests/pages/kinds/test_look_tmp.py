"""As a test, outside the tree: screenshots and seconds."""
import json, time, re
import pytest
from playwright.sync_api import expect
from annotation import surveys
from annotation.kinds.spans import scheme, schemes
from annotation.models import Seat
from tests.pages.browsing import faults, violations, log_in, overflow
pytestmark = pytest.mark.django_db(transaction=True)
S="/tmp/wt/page-shots/"
TEXT="The ferry left the old harbour at seven, and all of the passengers was asleep before it reached the open sea. Nobody heard the captain shouting 3 times."
AR="غادرت العبّارة الميناء القديم في السابعة، ونام جميع الركاب قبل أن تصل إلى عرض البحر. لم يسمع أحد القبطان وهو يصرخ."

def make(make_study, preset="mqm", language="en", text=TEXT):
    study = make_study(prompts=1, systems=("a","b","c"), page_kinds=["spans"], ratings_per_text=1, completion_code="ABCD2345")
    study.generations.update(text=text)
    study.damaged_texts="none"; study.language=language; study.save()
    schemes.keep(study, scheme.PRESETS[preset], preset)
    surveys.open_study(study=study)
    return study

def enter(page, live_server, study):
    page.goto(live_server.url + study.get_worker_url())
    page.locator("[name=agree]").check()
    page.locator("button.primary").click()
    expect(page.locator("fieldset.marking").first).to_be_visible()
    return page

def long_press(cdp, page, x, y):
    cdp.send("Input.dispatchTouchEvent", {"type":"touchStart","touchPoints":[{"x":x,"y":y}]})
    page.wait_for_timeout(700)
    cdp.send("Input.dispatchTouchEvent", {"type":"touchEnd","touchPoints":[]})

@pytest.mark.parametrize("width,preset", [(390,"mqm"),(320,"esa")])
def test_phone(browser, live_server, make_study, width, preset):
    study=make(make_study, preset)
    ctx=browser.new_context(viewport={"width":width,"height":844}, has_touch=True, is_mobile=True, device_scale_factor=2)
    page=ctx.new_page(); enter(page, live_server, study)
    begin=time.monotonic()
    page.reload()
    expect(page.locator(".tools").first).to_be_visible()
    ready=time.monotonic()-begin
    page.screenshot(path=f"{S}phone-{width}-{preset}-1.png")
    root=page.locator("span[data-side=text]").first
    box=root.evaluate("""root => { const r=document.createRange(); const t=root.querySelector('span')?.firstChild ?? root.firstChild; const at=t.textContent.indexOf('old'); r.setStart(t,at); r.setEnd(t,at+3); const b=r.getBoundingClientRect(); return [b.x+b.width/2,b.y+b.height/2]; }""")
    cdp=ctx.new_cdp_session(page)
    long_press(cdp, page, *box)
    sel=page.evaluate("getSelection().toString()")
    print("SELECTED", repr(sel))
    if not sel:
        page.evaluate("""() => { const root=document.querySelector("span[data-side=text]"); const t=root.querySelector('span')?.firstChild ?? root.firstChild; const at=t.textContent.indexOf('old'); getSelection().setBaseAndExtent(t,at,t,at+3);}""")
    button=page.locator("[data-do=mark]").first
    expect(button).to_be_enabled()
    page.screenshot(path=f"{S}phone-{width}-{preset}-2.png")
    button.tap()
    expect(page.locator("dialog[open]")).to_be_visible()
    page.screenshot(path=f"{S}phone-{width}-{preset}-3.png")
    if preset=="mqm": page.locator("dialog[open] .categories button").first.tap()
    page.locator("dialog[open] .severities button").last.tap()
    expect(page.locator(".marks li").first).to_be_visible()
    print("PHONE", width, preset, "script ready", round(ready,2), "first mark", round(time.monotonic()-begin,2))
    # tap a place, something is missing
    page.touchscreen.tap(box[0]-60, box[1])
    page.wait_for_timeout(100)
    page.locator("[data-do=missing]").first.tap()
    page.screenshot(path=f"{S}phone-{width}-{preset}-4.png")
    page.keyboard.press("Escape") if page.locator("dialog[open]").count() else None
    small=page.evaluate("""() => [...document.querySelectorAll('.marks button, .tools button, .map a, .chooser button, .by-list summary, .meanings summary, .tick')].filter(e => e.offsetParent).map(e => [e.textContent.trim().slice(0,20), Math.round(e.getBoundingClientRect().width), Math.round(e.getBoundingClientRect().height)]).filter(([t,w,h]) => h<44 || w<44)""")
    print("SMALL", small)
    page.locator(".marks").first.scroll_into_view_if_needed()
    page.screenshot(path=f"{S}phone-{width}-{preset}-5.png")
    page.locator(".marks [data-do=delete]").first.tap()
    expect(page.locator(".marks").first.locator("li")).to_have_count(0)
    links=page.locator(".map a")
    links.nth(1).tap(); page.wait_for_timeout(300)
    print("MAP", page.url[-10:], links.count())
    page.locator("details.meanings summary").first.tap()
    page.locator("details.meanings").first.scroll_into_view_if_needed()
    page.screenshot(path=f"{S}phone-{width}-{preset}-6.png")
    print("AXE", violations(page), "OVER", overflow(page))
    ctx.close()

def test_keyboard(page, live_server, make_study):
    study=make(make_study)
    page.set_viewport_size({"width":1280,"height":800})
    enter(page, live_server, study)
    begin=time.monotonic(); page.reload()
    presses=0
    for _ in range(40):
        if page.evaluate("document.activeElement?.matches('span[data-side=text]') ?? false"): break
        page.keyboard.press("Tab"); presses+=1
    print("TABS", presses)
    for key in ("ArrowRight","ArrowRight","Enter","1","3"): page.keyboard.press(key)
    expect(page.locator(".marks li").first).to_be_visible()
    print("KEYBOARD first mark", round(time.monotonic()-begin,2))
    page.screenshot(path=f"{S}desk-1.png")
    page.keyboard.press("?"); page.screenshot(path=f"{S}desk-keys.png"); page.keyboard.press("Escape")
    page.locator(".meanings summary").first.click()
    page.locator("[data-do=edit]").first.click(); page.screenshot(path=f"{S}desk-chooser.png")
    page.locator("dialog[open] .meanings summary").click(); page.screenshot(path=f"{S}desk-chooser-open.png")
    print("AXE", violations(page)); page.keyboard.press("Escape")
    page.emulate_media(color_scheme="dark"); page.screenshot(path=f"{S}desk-dark.png", full_page=True)
    page.get_by_text("Instructions").first.click(); page.screenshot(path=f"{S}desk-instructions.png")

def test_early(page, live_server, make_study):
    """How long is the page visible before keys work?"""
    study=make(make_study); enter(page, live_server, study)
    for throttle in (False, True):
        cdp=page.context.new_cdp_session(page)
        if throttle:
            cdp.send("Network.enable"); cdp.send("Network.emulateNetworkConditions", {"offline":False,"latency":150,"downloadThroughput":200_000,"uploadThroughput":90_000})
            cdp.send("Network.setCacheDisabled", {"cacheDisabled":True})
        page.reload(wait_until="commit")
        page.locator("fieldset.marking").first.wait_for(); a=time.monotonic()
        expect(page.locator(".tools").first).to_be_visible(); b=time.monotonic()
        print("GAP", throttle, round(b-a,2))

def test_arabic(browser, live_server, make_study):
    study=make(make_study,"mqm","ar",AR)
    for w in (1280,390):
        ctx=browser.new_context(viewport={"width":w,"height":844}, has_touch=w<500, is_mobile=w<500)
        page=ctx.new_page(); enter(page, live_server, study)
        expect(page.locator(".tools").first).to_be_visible()
        root=page.locator("span[data-side=text]").first
        root.focus()
        for key in ("ArrowLeft","ArrowLeft","Shift+ArrowLeft","Enter"): page.keyboard.press(key)
        page.screenshot(path=f"{S}ar-{w}.png")
        page.keyboard.press("Escape")
        print("AXE ar", w, violations(page), overflow(page))
        ctx.close()
        Seat.objects.all().delete() if False else None

def test_noscript(browser, live_server, make_study):
    study=make(make_study)
    ctx=browser.new_context(java_script_enabled=False, viewport={"width":390,"height":844})
    page=ctx.new_page(); enter(page, live_server, study)
    row=page.locator("fieldset.marking").nth(1)
    row.get_by_text("Choose words from a list").click()
    row.get_by_label("First word").select_option("3")
    row.get_by_role("button", name="Add this mark").click(); page.wait_for_load_state()
    page.screenshot(path=f"{S}noscript-390.png")
    ctx.close()

def test_preview(page, live_server, alice, make_study):
    study=make_study(prompts=1, systems=("a","b"), page_kinds=["spans"])
    page.problems=[]
    log_in(page, live_server.url).goto(f"{live_server.url}/studies/ferry/preview/")
    expect(page.locator("#progress")).to_contain_text("answers left")
    page.screenshot(path=f"{S}preview.png")
    page.set_viewport_size({"width":390,"height":800}); page.screenshot(path=f"{S}preview-390.png")

def test_review(page, live_server, alice, make_study):
    from tests.annotation.test_mark_pages import answers
    from tests.annotation.seating import NOON, sit
    from annotation import answering
    study=make_study(prompts=2, systems=("a","b"), page_kinds=["spans"])
    schemes.keep(study, scheme.MQM, "mqm"); surveys.open_study(study=study)
    seat=sit(study,"ann"); answering.submit(seat=seat, answers=answers(seat), now=NOON)
    page.problems=[]
    page.set_viewport_size({"width":1280,"height":900})
    log_in(page, live_server.url).goto(f"{live_server.url}/studies/ferry/ratings/{seat.public_id}/")
    page.locator("article.negative").scroll_into_view_if_needed()
    page.screenshot(path=f"{S}review.png")
    print("AXE", faults(page))
    page.locator("article.negative").scroll_into_view_if_needed()
    page.screenshot(path=f"{S}review-320-dark.png")
