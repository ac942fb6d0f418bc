// rubato explain: an algorithm in plain words, its options, its warnings.
#include "Commands.h"
#include "ExplainGraph.h"

#include "rubato/Sync/Algorithms.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace rubato;

static constexpr unsigned kWidth = 78;

/// Prints a paragraph in lines of at most kWidth columns; all but the first are
/// indented.
static void wrap(raw_ostream &os, StringRef text, unsigned indent,
                 unsigned column) {
  SmallVector<StringRef> words;
  SplitString(text, words);
  bool first = true;
  for (StringRef word : words) {
    if (!first && column + 1 + word.size() > kWidth) {
      os << "\n" << std::string(indent, ' ');
      column = indent;
      first = true;
    }
    if (!first) {
      os << " ";
      ++column;
    }
    os << word;
    column += word.size();
    first = false;
  }
  os << "\n";
}

static std::string allowed(const AlgorithmOption &option) {
  std::string text;
  raw_string_ostream os(text);
  switch (option.kind) {
  case AlgorithmOption::Kind::Choice:
    return join(option.choices, "|");
  case AlgorithmOption::Kind::Flag:
    return "true|false";
  case AlgorithmOption::Kind::File:
    return "path of a file";
  case AlgorithmOption::Kind::Integer:
    os << "whole number";
    break;
  case AlgorithmOption::Kind::Real:
    os << "number";
    break;
  }
  if (option.min > -std::numeric_limits<double>::infinity())
    os << ", from " << format("%g", option.min);
  if (option.max < std::numeric_limits<double>::infinity())
    os << ", up to " << format("%g", option.max);
  return text;
}

/// The default of an option under a configuration.
static StringRef defaultOf(const AlgorithmOption &option,
                           const AlgorithmConfiguration &configuration) {
  for (const auto &[name, value] : configuration.settings)
    if (name == option.name)
      return value;
  return option.value;
}

static void listAlgorithms(raw_ostream &os) {
  os << "Algorithms (rubato compile --algorithm NAME; rubato explain "
        "NAME):\n\n";
  for (const std::string &name : algorithmNames()) {
    os << "  " << left_justify(name, 20);
    wrap(os, findAlgorithm(name).configuration->summary, 22, 22);
  }
}

static void explain(raw_ostream &os, const NamedAlgorithm &found) {
  const AlgorithmInfo &info = *found.algorithm;
  const AlgorithmConfiguration &self = *found.configuration;
  os << self.name << ": ";
  wrap(os, self.summary, 0, self.name.size() + 2);
  const AlgorithmConfiguration &base = info.configurations.front();
  if (&self != &base) {
    os << "\n";
    std::string text = "A configuration of " + base.name + ", with ";
    for (auto [i, setting] : enumerate(self.settings))
      text += (i ? ", " : "") + setting.first + "=" + setting.second;
    wrap(os, text + ". Of " + base.name + ":", 0, 0);
  }
  SmallVector<StringRef> paragraphs;
  SplitString(info.description, paragraphs, "\n");
  for (StringRef paragraph : paragraphs) {
    os << "\n";
    wrap(os, paragraph, 0, 0);
  }
  os << "\nOptions (--algorithm-option NAME=VALUE):\n";
  if (info.options.empty())
    os << "  none\n";
  for (const AlgorithmOption &option : info.options) {
    os << "  " << option.name << "=" << defaultOf(option, self) << "  ("
       << allowed(option) << ")\n      ";
    wrap(os, option.help, 6, 6);
  }
  if (!info.warnings.empty())
    os << "\nWatch out:\n";
  for (const std::string &warning : info.warnings) {
    os << "  * ";
    wrap(os, warning, 4, 4);
  }
  if (&self == &base && info.configurations.size() > 1) {
    os << "\nConfigurations of it:\n";
    for (const auto &other : drop_begin(info.configurations)) {
      os << "  " << left_justify(other.name, 20);
      wrap(os, other.summary, 22, 22);
    }
  }
}

static json::Value describe(const NamedAlgorithm &found) {
  const AlgorithmInfo &info = *found.algorithm;
  json::Array options, warnings;
  for (const AlgorithmOption &option : info.options)
    options.push_back(
        json::Object{{"name", option.name},
                     {"default", defaultOf(option, *found.configuration)},
                     {"allowed", allowed(option)},
                     {"help", option.help}});
  for (const std::string &warning : info.warnings)
    warnings.push_back(warning);
  return json::Object{{"name", found.configuration->name},
                      {"summary", found.configuration->summary},
                      {"algorithm", info.configurations.front().name},
                      {"description", info.description},
                      {"options", std::move(options)},
                      {"warnings", std::move(warnings)}};
}

int runExplainCommand(int argc, char **argv) {
  cl::OptionCategory category("Options of rubato explain");
  cl::opt<std::string> name(cl::Positional, cl::desc("[ALGORITHM]"),
                            cl::cat(category));
  cl::opt<bool> json("json", cl::desc("machine-readable"), cl::cat(category));
  GraphFlags graph(category);
  cl::HideUnrelatedOptions(category);
  std::string tool = "rubato explain"; // what messages call us
  argv[1] = tool.data();
  if (!cl::ParseCommandLineOptions(
          argc - 1, argv + 1,
          "Says what a synchronisation algorithm does, its options and what to "
          "watch out for.\nWithout a name, lists the algorithms. With "
          "--members or --topology-file, shows the graph of one that has one: "
          "its\nedges, its constants, and what acceleration is worth on it.\n",
          &errs()))
    return kUsage;
  if (name.empty() && graph.given()) {
    errs() << "error: a graph belongs to an algorithm; name one in front of "
              "it\n";
    return kUsage;
  }
  if (name.empty()) {
    if (json)
      outs() << json::Value(json::Array(algorithmNames())) << "\n";
    else
      listAlgorithms(outs());
    return 0;
  }
  NamedAlgorithm found = findAlgorithm(name);
  if (!found.algorithm) {
    errs() << "error: " << unknownAlgorithm(name) << "\n";
    return kUsage;
  }
  if (graph.given())
    return explainGraph(found, graph, json);
  if (json)
    outs() << formatv("{0:2}", describe(found)) << "\n";
  else
    explain(outs(), found);
  return 0;
}
