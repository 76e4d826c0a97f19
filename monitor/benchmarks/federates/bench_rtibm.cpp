// SPDX-License-Identifier: GPL-3.0-or-later
// RTIBM: pairs of federates that send and return, and a master that tells them what to do. They are
// coordinated by reliable interactions only: the master sends testDescription (the variables of a
// test), testDirective (go, close, end) and endFedex; the others answer with testState and
// testResults.
//   --role first --tests FILE   the master; each line of FILE is a test, "test=OWOT pairs=1 ..."
//   --role second --pair K --side send|return
// A test of one way (OWOT, OWIT) is measured where updates arrive, one of round trips (RTOL, RTIL)
// where they return. The master prints a line of each sample and pair:
//   sample TEST SAMPLE PAIR VALUE RECEIVED DROPPED     VALUE in messages/s, or in microseconds
#include <algorithm>
#include <deque>
#include <fstream>
#include <set>
#include <sstream>

#include "bench_federate.h"

namespace {

using namespace tutti::bench;
using namespace rti1516e;

constexpr int noSample = 0;

/// "key=value" words.
class Words {
 public:
  explicit Words(const std::string& text) {
    std::istringstream stream(text);
    for (std::string word; stream >> word;) {
      const std::size_t equals = word.find('=');
      if (equals != std::string::npos) words_[word.substr(0, equals)] = word.substr(equals + 1);
    }
  }
  std::string text(const std::string& key) const {
    const auto found = words_.find(key);
    return found == words_.end() ? std::string() : found->second;
  }
  int number(const std::string& key) const { return std::atoi(text(key).c_str()); }
  double real(const std::string& key) const { return std::atof(text(key).c_str()); }

 private:
  std::map<std::string, std::string> words_;
};

/// The variables of a test that federates need.
struct Test {
  explicit Test(const Words& words)
      : id(words.number("id")),
        objects(words.text("test") == "OWOT" || words.text("test") == "RTOL"),
        roundTrip(words.text("test") == "RTOL" || words.text("test") == "RTIL"),
        mayLose(words.text("transport") == "best-effort"),
        pairs(words.number("pairs")),
        types(words.number("types")),
        instances(objects ? words.number("instances") : 1),
        values(words.number("attributes")),
        buffer(static_cast<std::size_t>(words.number("buffer"))),
        sampleSize(static_cast<std::uint64_t>(words.number("sample-size"))),
        samples(words.number("samples")),
        dataThreshold(static_cast<std::uint64_t>(words.number("data-threshold"))),
        updateThreshold(static_cast<std::size_t>(words.number("update-threshold"))) {}

  int id;
  bool objects;
  bool roundTrip;
  bool mayLose;
  int pairs;
  int types;
  int instances;
  int values;
  std::size_t buffer;
  std::uint64_t sampleSize;
  int samples;
  std::uint64_t dataThreshold;
  std::size_t updateThreshold;
};

/// A federate that talks by the coordinating interactions.
class Member : public BenchFederate {
 public:
  using BenchFederate::BenchFederate;

  void receiveInteraction(InteractionClassHandle of, const ParameterHandleValueMap& values,
                          const VariableLengthData&, OrderType, TransportationType,
                          SupplementalReceiveInfo) TUTTI_BENCH_THROWS override {
    const auto word = words_.find(of);
    if (word == words_.end()) {
      hear(values.begin()->second);
      return;
    }
    const VariableLengthData& text = values.begin()->second;
    inbox_.push_back(
        {word->second, std::string(static_cast<const char*>(text.data()), text.size())});
  }

 protected:
  struct Message {
    std::string word;
    std::string text;
  };

  void enterAs(std::initializer_list<const char*> hears, std::initializer_list<const char*> says) {
    enter();
    for (const char* each : hears) {
      const InteractionClassHandle of = classOf(each);
      words_[of] = each;
      rti_->subscribeInteractionClass(of);
    }
    for (const char* each : says) rti_->publishInteractionClass(classOf(each));
  }

  void say(const char* word, const std::string& text) {
    const InteractionClassHandle of = classOf(word);
    ParameterHandleValueMap values;
    values[rti_->getParameterHandle(of, L"text")] = VariableLengthData(text.data(), text.size());
    rti_->sendInteraction(of, values, VariableLengthData());
  }

  /// The next message; takes it.
  Message next(const char* what) {
    awaitThat([this] { return !inbox_.empty(); }, what);
    const Message message = inbox_.front();
    inbox_.pop_front();
    return message;
  }

  InteractionClassHandle classOf(const std::string& name) {
    return rti_->getInteractionClassHandle(L"HLAinteractionRoot." + wide(name));
  }

  /// What is sent in a test, as an update or an interaction.
  virtual void hear(const VariableLengthData&) {}

  std::deque<Message> inbox_;

 private:
  std::map<InteractionClassHandle, std::string> words_;
};

class Master : public Member {
 public:
  explicit Master(const Options& options)
      : Member(options),
        members_(static_cast<std::size_t>(options.number("members", 2))),
        file_(options.text("tests", "")) {}

  void run() {
    std::vector<std::string> tests;
    std::ifstream file(file_);
    for (std::string line; std::getline(file, line);) tests.push_back(line);
    if (tests.empty()) throw std::runtime_error("no tests in '" + file_ + "'");
    enterAs({"testState", "testResults"}, {"testDescription", "testDirective", "endFedex"});
    std::set<std::string> present;
    while (present.size() < members_) {
      const Message message = next("all federates to join");
      const Words words(message.text);
      if (words.text("state") == "joined") present.insert(words.text("name"));
    }
    for (const std::string& line : tests) conduct(line);
    say("endFedex", "");
    part();
  }

 private:
  void conduct(const std::string& line) {
    const Test test{Words(line)};
    say("testDescription", line);
    gatherStates("ready", members_);
    const std::size_t active = 2 * static_cast<std::size_t>(test.pairs);
    for (int sample = 1; sample <= test.samples; ++sample) {
      direct("go", sample);
      // Those who send say so; those who return have nothing to end.
      gatherStates("sent", active / 2);
      direct("close", sample);
      for (int i = 0; i < test.pairs; ++i) {
        const Message message = next("the results of a sample");
        const Words words(message.text);
        if (message.word != "testResults") throw std::runtime_error("unexpected " + message.text);
        std::printf("sample %d %d %d %s %s %s\n", test.id, sample, words.number("pair"),
                    words.text("value").c_str(), words.text("received").c_str(),
                    words.text("dropped").c_str());
      }
    }
    std::fflush(stdout);
    direct("end", noSample);
    gatherStates("ended", members_);
  }

  void direct(const char* what, int sample) {
    say("testDirective", std::string("do=") + what + " sample=" + std::to_string(sample));
  }

  void gatherStates(const char* state, std::size_t wanted) {
    while (wanted > 0) {
      const Message message = next("the federates' states");
      const std::string got = Words(message.text).text("state");
      if (got == state) --wanted;
    }
  }

  std::size_t members_;
  std::string file_;
};

class Subordinate : public Member {
 public:
  explicit Subordinate(const Options& options)
      : Member(options),
        name_(options.text("name", "")),
        pair_(static_cast<int>(options.number("pair", 0))),
        sends_(options.text("side", "send") == "send"),
        seed_(static_cast<std::uint64_t>(options.number("seed", 1))) {}

  void run() {
    enterAs({"testDescription", "testDirective", "endFedex"}, {"testState", "testResults"});
    // The master may not hear yet: what is said before it subscribes is lost.
    do {
      tell("joined");
    } while (!awaitFor([this] { return !inbox_.empty(); }, 0.1) && patient());
    for (;;) {
      const Message message = next("the master");
      if (message.word == "endFedex") break;
      const Words words(message.text);
      if (message.word == "testDescription") {
        test_.reset(new Test(words));
        active_ = pair_ < test_->pairs;
        if (active_) prepare();
        tell("ready");
      } else if (words.text("do") == "go") {
        if (active_ && sends_) send(words.number("sample"));
      } else if (words.text("do") == "close") {
        if (active_ && sends_ == test_->roundTrip) report(words.number("sample"));
      } else if (words.text("do") == "end") {
        if (active_) clear();
        active_ = false;
        tell("ended");
      }
    }
    part();
  }

  void discoverObjectInstance(ObjectInstanceHandle, ObjectClassHandle,
                              const std::wstring&) TUTTI_BENCH_THROWS override {
    ++discovered_;
  }
  void discoverObjectInstance(ObjectInstanceHandle, ObjectClassHandle, const std::wstring&,
                              FederateHandle) TUTTI_BENCH_THROWS override {
    ++discovered_;
  }
  void reflectAttributeValues(ObjectInstanceHandle, const AttributeHandleValueMap& values,
                              const VariableLengthData&, OrderType, TransportationType,
                              SupplementalReflectInfo) TUTTI_BENCH_THROWS override {
    hear(values.begin()->second);
  }
  void turn() override {
    Member::turn();
    returnAll();
  }

 private:
  /// What was heard of a sample.
  struct Heard {
    std::uint64_t count = 0;
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::uint64_t highest = 0;  ///< number of a message
    double microseconds = 0;    ///< of all round trips
  };
  /// Where one message goes: an instance of a class with its values, or an interaction.
  struct Target {
    ObjectInstanceHandle instance;
    InteractionClassHandle interaction;
    AttributeHandleValueMap attributes;
    ParameterHandleValueMap parameters;
  };

  void tell(const char* state) {
    say("testState", "name=" + name_ + " pair=" + std::to_string(pair_) + " state=" + state);
  }

  bool patient() {
    if (++asked_ > 300) throw std::runtime_error("waited in vain for the master");
    return true;
  }

  /// The number of the k-th class of this pair, 1 to 32.
  int typeNumber(int k) const { return (pair_ * test_->types + k) % 32 + 1; }

  void prepare() {
    heard_.clear();
    discovered_ = 0;
    targets_.clear();
    payload_ = makePayload(test_->buffer, seed_);
    const bool speaks = sends_ || test_->roundTrip;
    const bool listens = !sends_ || test_->roundTrip;
    for (int k = 0; k < test_->types; ++k) {
      const std::string number = std::to_string(typeNumber(k));
      const std::string mine = (sends_ ? "S" : "R") + number;
      const std::string theirs = (sends_ ? "R" : "S") + number;
      if (test_->objects) {
        prepareObjects(speaks ? mine : "", listens ? theirs : "");
      } else {
        prepareInteractions(speaks ? mine : "", listens ? theirs : "");
      }
    }
    if (listens && test_->objects) {
      const int all = test_->types * test_->instances;
      awaitThat([&] { return discovered_ >= all; }, "the partner's object instances");
    }
  }

  AttributeHandleSet attributesOf(ObjectClassHandle of) {
    AttributeHandleSet result;
    for (int i = 1; i <= test_->values; ++i) {
      result.insert(rti_->getAttributeHandle(of, L"A" + std::to_wstring(i)));
    }
    return result;
  }

  void prepareObjects(const std::string& mine, const std::string& theirs) {
    if (!theirs.empty()) {
      const auto of = rti_->getObjectClassHandle(L"HLAobjectRoot." + wide(theirs));
      rti_->subscribeObjectClassAttributes(of, attributesOf(of));
    }
    if (mine.empty()) return;
    const auto of = rti_->getObjectClassHandle(L"HLAobjectRoot." + wide(mine));
    const AttributeHandleSet attributes = attributesOf(of);
    rti_->publishObjectClassAttributes(of, attributes);
    for (int i = 0; i < test_->instances; ++i) {
      Target target;
      target.instance = rti_->registerObjectInstance(of);
      for (const AttributeHandle& each : attributes) {
        target.attributes[each] = VariableLengthData(payload_.data(), payload_.size());
      }
      targets_.push_back(target);
    }
  }

  void prepareInteractions(const std::string& mine, const std::string& theirs) {
    if (!theirs.empty()) rti_->subscribeInteractionClass(classOf(theirs));
    if (mine.empty()) return;
    Target target;
    target.interaction = classOf(mine);
    rti_->publishInteractionClass(target.interaction);
    for (int i = 1; i <= test_->values; ++i) {
      target.parameters[rti_->getParameterHandle(target.interaction, L"P" + std::to_wstring(i))] =
          VariableLengthData(payload_.data(), payload_.size());
    }
    targets_.push_back(target);
  }

  void clear() {
    for (const Target& target : targets_) {
      if (test_->objects) rti_->deleteObjectInstance(target.instance, VariableLengthData());
    }
    targets_.clear();
    if (sends_ && !test_->roundTrip) return;
    for (int k = 0; k < test_->types; ++k) {
      const std::string number = std::to_string(typeNumber(k));
      const std::string theirs = (sends_ ? "R" : "S") + number;
      if (test_->objects) {
        rti_->unsubscribeObjectClass(rti_->getObjectClassHandle(L"HLAobjectRoot." + wide(theirs)));
      } else {
        rti_->unsubscribeInteractionClass(classOf(theirs));
      }
    }
  }

  /// Sends the next message of the round over all targets. The first 8 bytes say which it is: the
  /// sample above, its number in it below; the second 8 are the time of sending.
  void sendOne(std::uint64_t number, std::uint64_t stamp) {
    Target& target = targets_[turn_++ % targets_.size()];
    writeSequence(payload_.data(), payload_.size(), number);
    writeStamp(payload_.data(), payload_.size(), stamp);
    if (test_->objects) {
      for (auto& each : target.attributes) each.second.setData(payload_.data(), payload_.size());
      rti_->updateAttributeValues(target.instance, target.attributes, VariableLengthData());
    } else {
      for (auto& each : target.parameters) each.second.setData(payload_.data(), payload_.size());
      rti_->sendInteraction(target.interaction, target.parameters, VariableLengthData());
    }
  }

  void send(int sample) {
    const std::uint64_t base = static_cast<std::uint64_t>(sample) << 32;
    Heard& back = heard_[sample];
    for (std::uint64_t i = 1; i <= test_->sampleSize; ++i) {
      sendOne(base + i, nowNanoseconds());
      if (i % test_->dataThreshold != 0 && i != test_->sampleSize) continue;
      if (!test_->roundTrip) {
        // A tick takes what is there and does not wait.
        rti_->evokeMultipleCallbacks(0.0, 0.0);
      } else if (!test_->mayLose) {
        awaitThat([&] { return back.count >= i; }, "what is returned");
      } else {
        // What was lost will not come; what was sent after it tells.
        awaitFor([&] { return back.highest >= base + i; }, 0.1);
      }
    }
    tell("sent");
  }

  void hear(const VariableLengthData& value) override {
    if (!active_) return;
    const std::uint64_t now = nowNanoseconds();
    const std::uint64_t number = readSequence(value.data(), value.size());
    const std::uint64_t stamp = readStamp(value.data(), value.size());
    Heard& heard = heard_[static_cast<int>(number >> 32)];
    if (heard.count++ == 0) heard.first = now;
    heard.last = now;
    heard.highest = std::max(heard.highest, number);
    if (sends_) {
      heard.microseconds += static_cast<double>(now - stamp) / 1000;
    } else if (test_->roundTrip) {
      toReturn_.push_back({number, stamp});
      if (toReturn_.size() >= test_->updateThreshold) returnAll();
    }
  }

  void returnAll() {
    for (const auto& each : toReturn_) sendOne(each.first, each.second);
    toReturn_.clear();
  }

  void report(int sample) {
    Heard& heard = heard_[sample];
    const auto complete = [&] { return heard.count >= test_->sampleSize; };
    if (!test_->mayLose) {
      awaitThat(complete, "the rest of a sample");
    } else {
      // What is still under way when all is sent arrives within this time.
      for (std::uint64_t before = heard.count; !complete(); before = heard.count) {
        if (!awaitFor([&] { return heard.count != before; }, 0.1)) break;
      }
    }
    const double count = static_cast<double>(heard.count);
    double value = 0;
    if (test_->roundTrip) {
      value = heard.count == 0 ? 0 : heard.microseconds / count;
    } else if (heard.count > 1) {
      value = (count - 1) / static_cast<double>(heard.last - heard.first) * 1e9;
    }
    std::ostringstream text;
    text.precision(15);
    text << "pair=" << pair_ << " value=" << value << " received=" << heard.count
         << " dropped=" << test_->sampleSize - std::min(heard.count, test_->sampleSize);
    say("testResults", text.str());
    heard_.erase(sample);
  }

  std::string name_;
  int pair_;
  bool sends_;
  std::uint64_t seed_;
  bool active_ = false;
  int asked_ = 0;
  int discovered_ = 0;
  std::size_t turn_ = 0;
  std::unique_ptr<Test> test_;
  std::vector<unsigned char> payload_;
  std::vector<Target> targets_;
  std::map<int, Heard> heard_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> toReturn_;
};

}  // namespace

int main(int count, char** values) {
  return runMain("bench-rtibm", count, values, [](const Options& options) {
    if (options.text("role", "first") == "first") {
      Master(options).run();
    } else {
      Subordinate(options).run();
    }
  });
}
